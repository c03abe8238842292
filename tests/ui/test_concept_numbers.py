"""Every number that the list of concepts promises at the end of a link is the number that is
computed there, counted in the engine, link by link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest

from attention_core import SettingsError, Trace
from attention_core.derivation import derive
from attention_lab.diagonal.propositions.catalogue import PROPOSITIONS, find_proposition
from attention_lab.heads.score_schemes import SCHEMES
from attention_lab.labs.convolution import one_by_one_example, run_convolution, run_two_heads
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel
from attention_lab.labs.stack_settings import StackSettings
from attention_lab.labs.training_settings import TrainingSettings
from attention_lab.masks.encoder_decoder import ATTENTION_USES, run_three_uses
from attention_lab.page_list import page_of
from attention_lab.questions import Entry, concepts
from attention_lab.scenario import Scenario, trace_of
from attention_lab.trained.encoded_text import encoded
from attention_viz.story.cutting import HEAD_FIELDS
from tests.ui.app import opened, unfolded

KINDS = {name: type(value) for name, value in vars(Scenario()).items()}
TARGET = "Das Tier war zu müde"
Parameters = dict[str, str]
WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
}
NUMBER = re.compile(rf"\b(?:\d+|{'|'.join(WORDS)})\b")
UNEVEN = ("gml", 12)
LISTED = {(one.text, one.number): one for one in concepts()}


def parameters_of(concept: Entry) -> Parameters:
    """The parameters of a concept's link."""
    return dict(parse_qsl(concept.query))


def scenario_of(parameters: Parameters) -> Scenario:
    """The layer that a link asks for."""
    chosen = {
        name: value == "true" if KINDS[name] is bool else KINDS[name](value)
        for name, value in parameters.items()
        if name in KINDS
    }
    return Scenario(**chosen)


def width(trace: Trace, field: str) -> int:
    """How many numbers a token, or a head's part of it, has in a field."""
    return int(getattr(trace, field).shape[-1])


def place(field: str, *names: str) -> Callable[[Trace, Parameters], Iterable[float]]:
    """The numbers of the link's query, key or head, which must exist in the field that the page
    shows.
    """
    axes = {"head": "H", "query": "T", "key": "S"}

    def found(trace: Trace, parameters: Parameters) -> list[float]:
        assert field in page_of(parameters["page"]).fields
        assert all(int(parameters[name]) < trace.sizes[axes[name]] for name in names)
        return [int(parameters[name]) for name in names]

    return found


def sums(trace: Trace) -> list[float]:
    """The sums over the keys of one query in any head: one number if they agree."""
    return sorted(set(trace.probabilities.sum(axis=-1).round(12).ravel().tolist()))


def following_heads(trace: Trace, parameters: Parameters) -> list[int]:
    """A head, and the one whose numbers stand before its own in the merged matrix."""
    head, d_v = int(parameters["head"]), trace.sizes["V"]
    assert np.array_equal(trace.merged[0][:, head * d_v :][:, :d_v], trace.head_outputs[0, head])
    assert np.array_equal(
        trace.merged[0][:, : head * d_v][:, -d_v:], trace.head_outputs[0, head - 1]
    )
    return [head, head - 1]


def stage(what: str) -> int:
    """The number of a row in the table of stages on the page Split."""
    row = re.search(
        rf"\*\*(\d)\*\* {what}",
        Path(page_of("split").path).read_text("utf-8"),
    )
    assert row
    return int(row[1])


def three_traces(parameters: Parameters) -> dict[str, Trace]:
    """Encoder, decoder and cross-attention as the page has them."""
    return run_three_uses(scenario_of(parameters), TARGET, int(parameters.get("ed_pad", 2)))


def hatched_for_all(parameters: Parameters) -> int:
    """How many columns at the end of the chosen use no query may see."""
    hidden_S = np.isneginf(three_traces(parameters)[parameters["ed_use"]].masked_scores[0, 0]).all(
        axis=0
    )
    n_hidden = int(hidden_S.sum())
    assert hidden_S[-n_hidden:].all()
    return n_hidden


def heads_of_a_convolution() -> list[int]:
    """Heads for a kernel, the kernel's sides, and heads for one channel; both ways give the
    convolution.
    """
    image, kernel = as_image(IMAGES["letter A"]), as_kernel(KERNELS["Laplacian"])
    many, few = run_convolution(image, kernel, 40), run_two_heads(image, kernel, 40)
    assert max(many.largest_error, few.largest_error) < 1e-12
    return [many.trace.sizes["H"], *kernel.shape[:2], few.trace.sizes["H"]]


def score_ranks(trace: Trace) -> int:
    """The rank of the scores, the largest of any head."""
    return int(np.linalg.matrix_rank(trace.scores[0]).max())


def tokens_against_the_pair_bound() -> int:
    """How many tokens break the bound, where two alone cannot."""
    tokens, bound = [[3.0], [2.0], [1.0]], find_proposition("S4")
    assert not bound.check(tokens).holds
    assert all(bound.check(two).holds for two in combinations(tokens, 2))
    return len(tokens)


def distances(trace: Trace) -> float:
    """The smallest squared distance between two tokens."""
    apart_TSD = trace.inputs[0][:, np.newaxis] - trace.inputs[0]
    return float((apart_TSD**2).sum(axis=-1).min())


def trained_layers() -> tuple[Trace, ...]:
    """The layers of the trained encoder, run on a sentence."""
    return encoded("a sentence").traces


CHECKS: dict[tuple[str, int], Callable[[Trace, Parameters], Iterable[float]]] = {
    ("gml", 1): lambda t, _: [len(HEAD_FIELDS)],
    ("gml", 5): lambda t, _: sums(t),
    ("gml", 10): following_heads,
    ("gml", 11): lambda t, _: [width(t, "query_heads"), width(t, "queries")],
    ("gml", 14): lambda t, _: [TrainingSettings().n_heads],
    ("gml", 17): place("scores", "query", "key"),
    ("gml", 19): place("probabilities", "query"),
    ("gml", 26): lambda t, _: [StackSettings().n_layers],
    ("gml", 27): lambda t, _: [t.scale],
    ("mql5", 3): lambda t, _: [len(SCHEMES)],
    ("mql5", 4): lambda t, _: [len(SCHEMES)],
    ("mql5", 5): lambda t, _: [t.sizes["H"], width(t, "queries"), width(t, "query_heads")],
    ("mql5", 8): lambda t, _: [width(t, "key_heads"), width(t, "inputs")],
    ("mql5", 9): lambda t, _: [width(t, "values"), width(t, "inputs")],
    ("mql5", 11): lambda t, _: [t.sizes["H"]],
    ("mql5", 17): lambda t, _: [len(derive(t, "scores", (0, 0, 0, 0)).terms[0].factors)],
    ("mql5", 18): lambda t, _: [len(SCHEMES)],
    ("mql5", 23): lambda t, at: [*place("probabilities", "head")(t, at), *sums(t)],
    ("mql5", 26): place("head_outputs", "query"),
    ("mql5", 28): lambda t, _: [
        t.sizes["H"],
        width(t, "head_outputs"),
        width(t, "merged"),
        width(t, "inputs"),
    ],
    ("mql5", 29): lambda t, _: [width(t, "merged"), width(t, "output")],
    ("mql5", 30): lambda t, _: {width(t, "inputs"), width(t, "output")},
    ("mql5", 31): lambda t, _: [width(t, "merged"), t.sizes["H"], width(t, "output")],
    ("mql5", 32): lambda t, _: [len(trained_layers())],
    ("doshi", 3): lambda t, _: [width(t, "key_heads"), width(t, "keys"), t.sizes["H"]],
    ("doshi", 6): lambda t, _: [len(SCHEMES)],
    ("doshi", 7): lambda t, _: [stage("reshape")],
    ("doshi", 8): lambda t, _: [stage("swap")],
    ("doshi", 14): lambda t, at: [
        len(ATTENTION_USES),
        len({one.hidden_keys.tobytes() for one in three_traces(at).values()}),
    ],
    ("doshi", 17): lambda t, _: [len(re.findall(r"\.\w+\(", t.code("merged")))],
    ("doshi", 22): lambda t, at: [hatched_for_all(at)],
    ("slides", 4): lambda t, _: [distances(t)],
    ("slides", 5): lambda t, _: [len(PROPOSITIONS)],
    ("slides", 6): lambda t, _: [tokens_against_the_pair_bound()],
    ("slides", 10): lambda t, _: one_by_one_example()[1][np.newaxis, np.newaxis].shape[:2],
    ("slides", 12): lambda t, _: [
        t.sizes["H"],
        len({head.tobytes() for head in t.probabilities[0]}),
    ],
    ("slides", 13): lambda t, _: [width(t, "key_heads"), width(t, "value_heads")],
    ("slides", 14): lambda t, _: [t.sizes["H"], width(t, "value_heads"), *t.projections.w_o.shape],
    ("slides", 16): lambda t, _: heads_of_a_convolution(),
    ("note", 9): lambda t, _: [width(t, "key_heads"), score_ranks(t)],
    ("note", 11): place("scores", "query"),
    ("note", 19): lambda t, _: [width(t, "value_heads")],
    ("note", 23): lambda t, _: [width(t, "output")],
    ("note", 24): lambda t, _: [sum(trace.sizes["H"] for trace in trained_layers())],
}


def promised(look: str) -> list[int]:
    """The numbers of a text in their order, in digits or in words; "one" is too often a pronoun
    to count.
    """
    return [WORDS.get(found) or int(found) for found in NUMBER.findall(look.casefold())]


def test_every_promise_is_checked() -> None:
    assert {key for key, one in LISTED.items() if promised(one.look)} == {*CHECKS, UNEVEN}


@pytest.mark.parametrize("key", CHECKS, ids=lambda key: f"{key[0]} {key[1]}")
def test_the_numbers_are_those_of_the_engine(key: tuple[str, int]) -> None:
    one = LISTED[key]
    parameters = parameters_of(one) | {"page": one.page}
    assert list(CHECKS[key](trace_of(scenario_of(parameters)), parameters)) == promised(one.look)


def test_heads_that_do_not_fit() -> None:
    one = LISTED[UNEVEN]
    n_heads, d_model = promised(one.look)
    with pytest.raises(SettingsError, match=rf"n_heads .*\b{n_heads}\b.* d_model .*\b{d_model}\b"):
        trace_of(scenario_of(parameters_of(one)))


def test_quoted_headings_stand_on_their_pages() -> None:
    quoted = [(one, title) for one in LISTED.values() for title in re.findall("“(.*?)”", one.look)]
    assert quoted
    for one, title in quoted:
        app = unfolded(opened(one.page, **parameters_of(one)))
        said = [head.value for head in (*app.header, *app.subheader)]
        said += [box.label for box in app.expander]
        assert any(text.startswith(title) for text in said), (one.page, title, said)
