"""What the app shows at a URL is what the same URL gives without the app."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_lab.acts import opening_feature
from attention_lab.page_list import page_row
from attention_lab.url_choices import read_url
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_bytes
from attention_viz.story.stages import stage_of
from attention_viz.story.story_view import view_of
from tests.ui.app import opened, page_context, said, sent_to

BY_HAND = {"weights": "by hand", "d_model": 8, "n_heads": 2}
URLS: dict[str, dict[str, object]] = {
    "defaults": {"head": 0},
    "by hand": BY_HAND | {"text": "the cat saw the zorp", "query": 4},
    "nothing found by hand": BY_HAND | {"text": "hello"},
    "a mask": {"mask": "window", "window": 1, "n_heads": 8, "head": 5, "query": 3, "feature": 9},
    "no mask, named": {"mask": "none", "which": "values", "whole": "true"},
    "trained": {"weights": "trained", "layer": 2, "head": 7, "notation": "gml", "hide": "true"},
    "a batch": {"batch": "it slept\nthe dog ran", "sentence": 1, "n_heads": 2, "guess": "true"},
    "own numbers": {"edits": "wq_0_3_9__x_2_1_-0.5", "scaling": "custom", "scale": -2.5},
    "uneven widths": {"d_k": 3, "d_v": 5, "d_o": 7, "residual": "false", "own_scale": "true"},
    "cut": {"text": "word " * 90, "query": 99, "output_matrix": "none", "positions": "false"},
}


def parameters(url: dict[str, object]) -> dict[str, list[str]]:
    return {name: [str(value)] for name, value in url.items()}


@pytest.mark.parametrize("place", range(len(URLS)), ids=URLS)
def test_the_same_url_gives_the_same_stages(place: int) -> None:
    """A third of the steps, in turn; each at the feature with which it opens if none is named."""
    url = list(URLS.values())[place]
    view = view_of(read_url(parameters(url)))
    for page in page_row("story").lecture[place % 3 :: 3]:
        app = opened(page.url_path, **url)
        stages = [proto.bytes for proto in sent_to(app, "board")]
        seen = opening_feature(view.trace, view.shown, page, view.focus, view.which)
        focus = replace(view.focus, feature=int(str(url.get("feature", seen))))
        expected = coloured_scene(stage_of(replace(view, focus=focus), page.url_path), "light")
        assert scene_to_bytes(expected) in stages, page.url_path


def test_the_app_refuses_the_same_values() -> None:
    odd = {"n_heads": "99", "mask": "banana", "notation": "theirs", "edits": "x", "query": "-3"}
    app, alone = opened("scores", **odd), read_url(parameters(odd))
    refused = [[one.split("”")[0] for one in ones] for ones in (said(app), alone.refused)]
    assert sorted(refused[0]) == sorted(refused[1])
    assert len(alone.refused) == len(odd)
    assert page_context(app).scenario == alone.scenario


def test_the_app_reads_other_spellings_as_the_same_url_does_without_it() -> None:
    """Also in a visit that runs, where Streamlit keeps a URL in another place."""
    spelt: dict[str, object] = {"mask": "CAUSAL", "residual": "TRUE", "seed": "4.0"}
    spelt |= {"text": "a\nb c", "d_k": "0", "notation": "GML"}
    alone, running = read_url(parameters(spelt)), opened("scores")
    running.query_params |= {name: str(value) for name, value in spelt.items()}
    for app in (opened("scores", **spelt), running.run()):
        assert page_context(app).scenario == alone.scenario
        assert page_context(app).notation.key == alone.view["notation"] == "gml"
        assert said(app) == []
