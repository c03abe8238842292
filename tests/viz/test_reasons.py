"""The three sentences beside the picture of a step: their numbers against the arrays of the layer,
and what they offer to try.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from attention_core.trace import Trace
from attention_lab.acts import moved, opened
from attention_lab.block import block_of
from attention_lab.next_token import next_token_of
from attention_lab.url_choices import UrlChoices
from attention_lab.user_data.painted_masks import mask_to_text
from attention_viz.payload import JSON
from attention_viz.story.stages import STEPS_OF_STORY, shown_view, step_scene
from attention_viz.story.story_file import story_file
from attention_viz.story.story_view import StoryView, view_of

HIDDEN = mask_to_text(np.tril(np.ones((5, 5), bool), -1))  # the first query sees no key
GROUPED = {"n_heads": "4", "n_kv_heads": "2", "d_model": "16", "head": "2", "query": "3"}
STATES: Mapping[str, Mapping[str, str]] = {
    "first example": {},
    "shared keys": {**GROUPED, "key": "1", "feature": "2", "alibi": "true", "mask": "window"},
    "nothing seen": {"mask": "painted", "painted": HIDDEN, "n_tokens": "5", "query": "0"},
    "modern": {**GROUPED, "qk_norm": "true", "rotary": "halves", "sink": "true", "softcap": "true"},
    "capped and masked": {**GROUPED, "alibi": "true", "sink": "true", "softcap": "true"}
    | {"cap": "1.0", "sink_logit": "3.0", "mask": "causal", "query": "1"},
    "joined": {"output_matrix": "none", "residual": "true", "which": "values", "scaling": "off"},
    "wide": {
        "d_model": "144",
        "n_heads": "2",
        "feature": "3",
        "notation": "columns",
        "skip": "off",
    },
    "weightless": {
        "weights": "weightless",
        "positions": "false",
        "which": "keys",
        "mask": "prefix",
    },
    "one cell": {"text": "we", "n_tokens": "1", "n_heads": "1", "d_model": "16"},
    "batch": {"batch": "It slept\nwhy", "sentence": "1", "mask": "padding"},
    "language model": {"weights": "language model", "layer": "2", "query": "4", "without": "3"},
}
NUMBER = re.compile(r"[−]?\d+(?:\.\d+)?(?:e[−]?\d+)?( %)?")
QUOTED = re.compile(r"“[^”]*”( \(\d+\))?")


def choices_of(state: str, path: str) -> UrlChoices:
    """What a URL with a state opens."""
    return opened(path, {name: [value] for name, value in STATES[state].items()})


def numbers(text: str) -> list[float]:
    """The numbers of a sentence, without those of tokens; per cent as shares."""
    found = NUMBER.finditer(re.sub(r"(?<=\d),(?=\d{3})", "", QUOTED.sub("", text)))
    return [
        float(one[0].removesuffix(" %").replace("−", "-")) / (100 if one[1] else 1) for one in found
    ]


def _read(trace: Trace, head: int, query: int) -> list[float]:
    row_S = trace.probabilities[0, head, query]
    tied = int(np.isclose(row_S, row_S.max(), rtol=1e-9).sum())
    return [0.0] if row_S.max() == 0 else [row_S.max(), *([tied] if tied > 1 else [])]


def _cell(trace: Trace, scene: JSON) -> float:
    cell = scene["cell"]
    return float(getattr(trace, cell["array"])[tuple(cell["index"])])


def _norm(view: StoryView, _: JSON) -> list[float]:
    trace, head = view.trace, view.focus.head
    group = head // (trace.sizes["H"] // trace.sizes["G"])
    lengths = [
        max(float(one @ one) ** 0.5 for one in vectors)
        for vectors in (trace.normed_queries[0, head], trace.normed_keys[0, group])
    ]
    largest = np.abs(trace.scaled_scores[0, head]).max()
    return [head, trace.scale * lengths[0] * lengths[1], largest]


def _turn(view: StoryView, scene: JSON) -> list[float]:
    trace, (_, head, position, feature) = view.trace, scene["cell"]["index"]
    half, width = trace.sizes["K"] // 2, trace.sizes["K"]
    pair = feature % half if trace.rotary.pairs == "halves" else feature // 2
    members = (pair, pair + half) if trace.rotary.pairs == "halves" else (2 * pair, 2 * pair + 1)
    name = scene["cell"]["array"].removeprefix("turned_")
    before = "normed_" if trace.head_norm is not None else ""
    heads = getattr(
        trace, before + name if before else {"queries": "query_heads"}.get(name, "key_heads")
    )
    angle = position * trace.rotary.base ** (-2 * pair / width)
    return [position, *members, angle, float(np.hypot(*heads[0, head, position, list(members)]))]


def _spread(view: StoryView, _: JSON) -> list[float]:
    trace, head = view.trace, view.focus.head
    return [head, trace.scores[0, head].std(), trace.scaled_scores[0, head].std()]


def _hidden(view: StoryView, _: JSON) -> list[float]:
    hidden_TS = np.isneginf(view.trace.masked_scores[0, view.focus.head])
    seen, n_keys = (~hidden_TS[view.focus.query]).sum(), hidden_TS.shape[1]
    return [seen, n_keys, view.focus.head, hidden_TS.sum(), hidden_TS.size]


def _scores(view: StoryView, scene: JSON) -> list[float]:
    row_S = view.trace.scores[0, view.focus.head, view.focus.query]
    return [row_S[view.focus.key], row_S.min(), row_S.max()]


def _projected(view: StoryView, scene: JSON) -> list[float]:
    trace, head = view.trace, view.focus.head
    n_parts, width = getattr(trace, view.which).shape[-1], trace.sizes["K"]
    if view.which == "values":
        width = trace.sizes["V"]
    group = head * (n_parts // width) // trace.sizes["H"]
    weights = getattr(trace.projections, f"w_{view.which[0]}")[
        :, group * width : (group + 1) * width
    ]
    feature = min(view.focus.feature, width - 1)
    used = np.any(weights != 0, axis=1).sum()
    return [head, used, len(weights), feature, _cell(trace, scene)]


def _parts(view: StoryView, _: JSON) -> list[float]:
    heads = getattr(
        view.trace, {"queries": "query_heads", "keys": "key_heads"}.get(view.which, "value_heads")
    )
    return [heads.shape[1] * heads.shape[3], heads.shape[1], heads.shape[3]]


def _shares(view: StoryView, _: JSON) -> list[float]:
    row_S = view.trace.probabilities[0, view.focus.head, view.focus.query]
    return [
        *_read(view.trace, view.focus.head, view.focus.query),
        *([row_S.sum()] if row_S.any() else []),
    ]


def _mixed(view: StoryView, scene: JSON) -> list[float]:
    read = _read(view.trace, view.focus.head, view.focus.query)
    return [*read, scene["cell"]["index"][-1], _cell(view.trace, scene)]


def _output(view: StoryView, scene: JSON) -> list[float]:
    trace, column = view.trace, scene["cell"]["index"][-1]
    w_o, width = trace.projections.w_o, trace.sizes["V"]
    mixed = 1.0
    if w_o is not None:
        mixed = sum(bool(w_o[at : at + width, column].any()) for at in range(0, len(w_o), width))
    return [column, _cell(trace, scene), mixed, trace.sizes["H"]]


def _block(view: StoryView, scene: JSON) -> list[float]:
    found, feature = block_of(view.scenario, view.block, view.sequence), scene["cell"]["index"][-1]
    return [feature, *(one[view.focus.query, feature] for one in (found.output, found.inputs))]


def _logit(view: StoryView, _: JSON) -> list[float]:
    found = next_token_of(view.shown)
    return [found.run.logits[found.position, found.shown[0]], len(found.part_names)]


# What the first sentence of each step says of a layer, in order.
SEEN: Mapping[str, Callable[[StoryView, JSON], list[Any]]] = {
    "overview": lambda view, _: [
        view.focus.head,
        *_read(view.trace, view.focus.head, view.focus.query),
        view.trace.scores[0, view.focus.head, view.focus.query, view.focus.key],
    ],
    "tokens": lambda view, scene: [
        view.trace.inputs.shape[-1],
        scene["cell"]["index"][-1],
        view.trace.inputs[0, view.focus.query, scene["cell"]["index"][-1]],
    ],
    "projections": _projected,
    "split": _parts,
    "qk-norm": _norm,
    "rotary": _turn,
    "scores": _scores,
    "scale": _spread,
    "mask": _hidden,
    "softmax": _shares,
    "mixing": _mixed,
    "merge": lambda view, scene: [
        view.focus.within(view.trace, "merged").feature,
        view.focus.head,
        scene["cell"]["index"][-1],
    ],
    "output": _output,
    "block": _block,
    "next-token": _logit,
}


@pytest.mark.parametrize("state", STATES)
def test_the_numbers_of_a_step_are_those_of_its_layer(state: str) -> None:
    assert [*SEEN] == [*STEPS_OF_STORY]
    for path, expected in SEEN.items():
        view = view_of(choices_of(state, path))
        scene, shown = step_scene(view, path), shown_view(view, path)
        reasons = scene["stage"]["reasons"]
        wanted = expected(shown, scene)
        # As they are told: two or three decimals, shares as per cent with one.
        assert numbers(reasons["now"]) == pytest.approx(wanted, rel=1e-3, abs=0.00501), path
        assert reasons["why"]
        root = shown.trace.sizes["K"]
        assert all(
            min(abs(one - known) for known in (0, 1, root, root**0.5)) < 0.006
            for one in numbers(reasons["why"])
        )


def _tried(state: str, path: str) -> tuple[StoryView, list[dict[str, Any]]]:
    view = view_of(choices_of(state, path))
    return shown_view(view, path), step_scene(view, path)["stage"]["reasons"]["tries"]


def test_what_is_worth_a_try_has_the_numbers_of_its_layer() -> None:
    view, (scale, *_) = _tried("shared keys", "scale")
    tops = []
    for field in ("scores", "scaled_scores"):
        rows = np.exp(getattr(view.trace, field)[0, view.focus.head])
        tops.append(np.mean([max(row) / sum(row) for row in rows]))
    assert numbers(scale["text"]) == pytest.approx(tops, abs=0.00051)
    view, (score, *_) = _tried("shared keys", "scores")
    row, key = view.trace.scores[0, view.focus.head, view.focus.query], view.focus.key
    other = max((place for place in range(len(row)) if place != key), key=lambda n: row[n])
    assert numbers(score["text"]) == pytest.approx([row[other]], abs=0.00051)
    assert score["value"]["index"][-1] == other
    view, (off, look, *_) = _tried("first example", "next-token")
    found = next_token_of(view.shown)
    added = [part @ found.run.decoder.embedding[found.shown[0]] for part in found.parts]
    heads = added[1 : 1 + view.trace.sizes["H"]]
    most = int(np.argmax(heads))
    assert numbers(off["text"]) == pytest.approx([most, heads[most]], abs=0.00051)
    assert (off["value"], look["value"]["index"][-1]) == (str(most), 1 + most)


@pytest.mark.parametrize("state", STATES)
def test_what_can_be_tried_changes_the_picture(state: str) -> None:
    for path in STEPS_OF_STORY:
        choices = choices_of(state, path)
        scene = step_scene(view_of(choices), path)
        tries = scene["stage"]["reasons"]["tries"]
        assert tries, path
        for one in tries:
            assert all(one[part] for part in ("text", "label"))
            if one["act"] == "pin":
                array = scene["arrays"][one["value"]["array"]]
                starts = array.get("start", [0] * len(array["shape"]))
                assert one["value"] != {name: scene["cell"][name] for name in one["value"]}
                assert all(
                    start <= place < start + length
                    for start, place, length in zip(
                        starts, one["value"]["index"], array["shape"], strict=True
                    )
                )
                continue
            after = step_scene(view_of(moved(choices, {one["act"]: one["value"]})), path)
            assert _picture(after) != _picture(scene), (path, one)


def _picture(scene: JSON) -> tuple[Any, ...]:
    """What is drawn: the matrices, which cell, which sentence and choices."""
    return tuple(str(scene.get(name)) for name in ("arrays", "cell", "panels", "sentence"))


@pytest.mark.parametrize("state", ["first example", "one cell", "wide"])
def test_a_file_offers_what_it_can_do(state: str) -> None:
    html = story_file(view_of(choices_of(state, "overview")))
    acts = set(re.findall(r'"act": ?"([^"]+)"', html))
    assert acts <= {"pin", "which", "head"}


def test_a_lesson_has_its_own_words() -> None:
    view = view_of(choices_of("first example", "scores"))
    scene = step_scene(StoryView(view.scenario, view.focus, lesson="One.1"), "scores")
    assert scene["stage"]["reasons"] is None


def next_places(path: str, changes: Mapping[str, str]) -> tuple[list[int], list[int] | None, Trace]:
    """The cell that a step explains, the one that it offers to look at next, and its layer."""
    view = view_of(opened(path, {name: [value] for name, value in changes.items()}))
    scene = step_scene(view, path)
    tries = scene["stage"]["reasons"]["tries"]
    offered = [one["value"]["index"] for one in tries if one["act"] == "pin"]
    return scene["cell"]["index"], offered[0] if offered else None, shown_view(view, path).trace


EIGHT = {"d_model": "8", "n_heads": "2", "text": "we saw the old cat"}


@pytest.mark.parametrize("key", range(5))
def test_the_next_score_is_the_largest_other_one_of_the_query(key: int) -> None:
    here, there, trace = next_places(
        "scores", {**EIGHT, "head": "1", "query": "3", "key": str(key)}
    )
    row = trace.scores[0, 1, 3]
    largest = max((k for k in range(5) if k != key), key=lambda k: row[k])
    assert (here, there) == ([0, 1, 3, key], [0, 1, 3, largest])


@pytest.mark.parametrize("feature", range(8))
def test_the_next_number_of_a_token_is_the_farthest_other_one_from_0(feature: int) -> None:
    here, there, trace = next_places("tokens", {**EIGHT, "query": "2", "feature": str(feature)})
    row = trace.inputs[0, 2]
    farthest = max((d for d in range(8) if d != feature), key=lambda d: abs(row[d]))
    assert (here, there) == ([0, 2, feature], [0, 2, farthest])
    assert row.min() < 0 < row.max()  # a sign would mislead


@pytest.mark.parametrize(("path", "key", "after"), [("softmax", 1, 2), ("scale", 4, 0)])
def test_elsewhere_the_next_key_follows_and_the_first_after_the_last(
    path: str, key: int, after: int
) -> None:
    here, there, _ = next_places(path, {**EIGHT, "query": "3", "key": str(key)})
    assert (here, there) == ([0, 0, 3, key], [0, 0, 3, after])


def test_with_one_key_another_query_follows_and_with_one_token_none() -> None:
    _, there, _ = next_places("mixing", {**EIGHT, "query": "4", "feature": "2"})
    assert there == [0, 0, 0, 2]  # the next token after the last is the first
    _, none, _ = next_places("scores", {"text": "we", "n_tokens": "1", "n_heads": "1"})
    assert none is None
