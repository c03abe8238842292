"""The chapter *A model that writes* and the story with models from folders, as a server shows them
whose operator has allowed some; `test_own_model.py` runs this file in a process of its own.

"twin" is stories260K, saved as such a folder; "gpt2" is a small model with learned positions.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import pytest

from attention_core import SettingsError
from attention_lab.cache import n_bytes
from attention_lab.choices import DECLARED, Scenario, resolve
from attention_lab.page_list import chapter_pages, story_steps
from attention_lab.scenario import trace_of
from attention_lab.trained import allowed_models, language_text
from attention_lab.trained.allowed_models import ALLOWED, LEFT_OUT, STORIES, writing_model
from attention_lab.trained.language_text import language_ids, language_run, run_of_ids
from attention_lab.trained.why_word import WhyWord
from attention_lab.url_choices import read_url
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.story.story_view import view_of
from tests.lab.refusal import refused as refuses
from tests.ui.app import errors, opened, page_context, pressed, refused, scenes, texts

FROG, CAT = "One day, a little frog was very sad. The", "the cat sat on a mat. the cat"
CHAPTER = [page.url_path for page in chapter_pages("trained")]
STEPS = [page.url_path for page in story_steps()]
CHOSEN = {"why_head": "4.3", "th_open": "true", "ca_restarts": "true", "head": "3"}
CLOSE = partial(pytest.approx, rel=2e-3, abs=2e-4)


def test_the_operator_decides_which_models_there_are() -> None:
    assert list(ALLOWED) == ["twin", "gpt2", "gpt2 2", "qwen2", "qwen3"]
    (sentence,) = LEFT_OUT
    assert "missing" in sentence
    assert DECLARED["model"].options == (STORIES, *ALLOWED)
    for path in (ALLOWED["twin"].folder, "../twin", "/etc", "missing"):
        app = opened("writing", text=FROG, model=path)
        (label, asked, shown), *_ = refused(app)
        assert label == "Model that writes"
        assert path.startswith(asked)
        assert shown == STORIES
        assert page_context(app).scenario.model == STORIES
        with refuses(SettingsError, "model", STORIES):
            resolve(Scenario(model=path))


def numbers_and_words(one: Any) -> list[Any]:
    """All values of a record, in their order."""
    if isinstance(one, dict):
        one = list(one.values())
    if isinstance(one, (list, tuple)):
        return [value for part in one for value in numbers_and_words(part)]
    return [CLOSE(float(one)) if isinstance(one, Real) else one]


def facts_of(page: str, model: str) -> list[Any]:
    """What the sentences of a page say."""
    asked = {"text": [FROG], "model": [model]} | {name: [one] for name, one in CHOSEN.items()}
    view, shown = view_of(read_url(asked)), BLOCK_PAGES[page]
    _, values, _ = shown.after(view, asked, {})
    assert shown.facts
    return numbers_and_words(asdict(shown.facts(view, values)))


@pytest.mark.parametrize("page", CHAPTER)
def test_stories260k_from_a_folder_says_the_same(page: str) -> None:
    ours, twin = facts_of(page, STORIES), facts_of(page, "twin")
    assert len(ours) > 1
    assert [getattr(one, "expected", one) for one in twin] == ours


def test_heads_are_measured_layer_by_layer() -> None:
    ids = language_ids(FROG)
    for off in ((), ((4, 3), (1, 0))):
        whole = WhyWord(ids, off=off).losses
        for n in (2, 5):
            lost = WhyWord(ids, off=off, model="twin", n_measured=n).losses
            is_known = np.arange(5)[:, np.newaxis].repeat(8, axis=1) < n
            for head in off:
                is_known[head] = True
            np.testing.assert_array_equal(~np.isnan(lost), is_known)
            np.testing.assert_allclose(lost[is_known], whole[is_known], atol=1e-4)
    app = pressed(opened("why-this-word", text=FROG, model="twin"), "Measure all heads")
    _, measured = app.query_params["why_measured"].split(".")
    assert measured == "1"
    assert len(app.get("progress")) == 1


@pytest.mark.parametrize("page", [*CHAPTER, *STEPS])
def test_a_page_shows_the_model_that_is_chosen(page: str) -> None:
    app = opened(page, text=CAT, model="gpt2", weights="language model", layer=1, head=2)
    assert errors(app) == []
    assert scenes(app)
    assert "children" not in texts(app)
    assert "512" not in texts(app)
    if page not in (*CHAPTER, "qk-norm", "rotary"):  # these two show what they would do
        trace = language_run(CAT, model="gpt2").traces[1]
        shown = page_context(app).trace.probabilities
        np.testing.assert_array_equal(shown, trace.probabilities)


@pytest.mark.parametrize("model", ["twin", "gpt2", "qwen2", "qwen3"])
def test_a_layer_that_runs_again_is_that_of_the_model(model: str) -> None:
    one = Scenario(CAT, weights="language model", model=model, layer=1)
    plain, again = trace_of(one), trace_of(Scenario(**vars(one) | {"without": "3"}))
    assert plain is not again
    np.testing.assert_allclose(again.probabilities, plain.probabilities, atol=1e-6)
    assert np.abs(again.output - plain.output).max() > 1e-3


def test_what_is_written_is_written_when_the_page_shows_it() -> None:
    app = opened("writing", text=CAT, model="gpt2", wr_temperature=0)
    app = pressed(pressed(app, "Write a word"), "Write 20")
    first, (_, *ids) = app.query_params["wr_more"], app.query_params["wr_written"].split(".")
    assert first == "20 words"
    assert ids
    undone = pressed(app, "Undo")
    assert "wr_more" not in undone.query_params
    model, before = writing_model("gpt2"), language_ids(CAT, model="gpt2")
    kept = list(map(int, undone.query_params["wr_written"].split(".")[1:]))
    assert kept == list(model.generate(before, len(kept)))
    assert len(kept) > len(ids)


def test_weights_do_not_count_and_runs_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = writing_model("twin")
    run = run_of_ids(language_ids(FROG, model="twin"), "twin")
    assert n_bytes(model.decoder) == 0 < n_bytes(run) < n_bytes(run_of_ids(run.ids))

    def is_free() -> bool:
        """Whether another run could begin."""
        is_mine = allowed_models._running.acquire(blocking=False)
        if is_mine:
            allowed_models._running.release()
        return is_mine

    class Watched:
        def run(self, ids: tuple[int, ...]) -> bool:
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(is_free).result()

    monkeypatch.setattr(language_text, "writing_model", lambda _: Watched())
    # No other text has these pieces.
    assert [run_of_ids((1, 7, last), name) for last, name in ((7, "twin"), (8, STORIES))] == [
        False,
        True,
    ]
