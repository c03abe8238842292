"""Every number that the list of concepts promises at the end of a link is the number that is
computed there, counted in the engine, link by link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import combinations
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
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.story.cutting import HEAD_FIELDS
from tests.ui.app import opened, unfolded
from tests.viz.reading_blocks import blocks_of, words_of

KINDS = {name: type(value) for name, value in vars(Scenario()).items()}
TARGET = "Das Tier war zu müde"
Parameters = dict[str, str]
NAMED = "two three four five six seven eight nine ten eleven twelve thirteen fourteen"
WORDS = {word: number for number, word in enumerate(NAMED.split(), start=2)}
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


Check = Callable[[Trace, Parameters], Iterable[float]]


def widths(*fields: str) -> Check:
    """How many numbers a token, or a head's part of it, has in each field; "H": how many heads
    there are.
    """
    return lambda trace, _: [
        trace.sizes["H"] if field == "H" else getattr(trace, field).shape[-1] for field in fields
    ]


def place(field: str, *names: str) -> Check:
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
    head, blocks = int(parameters["head"]), np.hsplit(trace.merged[0], trace.sizes["H"])
    assert all(np.array_equal(blocks[h], trace.head_outputs[0, h]) for h in (head, head - 1))
    return [head, head - 1]


def stage(what: str) -> Check:
    """The number of a row in the table of stages on the page Split."""
    return lambda _, at: map(int, re.findall(rf"\*\*(\d)\*\* {what}", said_by("split", at)))


def said_by(page: str, parameters: Parameters) -> str:
    """What a page says of a scenario."""
    return words_of(blocks_of(BLOCK_PAGES[page], scenario_of(parameters)))


def three_traces(parameters: Parameters) -> dict[str, Trace]:
    """Encoder, decoder and cross-attention as the page has them."""
    return run_three_uses(scenario_of(parameters), TARGET, int(parameters.get("ed_pad", 2)))


def hatched_for_all(parameters: Parameters) -> int:
    """How many columns at the end of the chosen use no query may see."""
    scores_TS = three_traces(parameters)[parameters["ed_use"]].masked_scores[0, 0]
    hidden_S = np.isneginf(scores_TS).all(axis=0)
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


def score_schemes(*_: object) -> list[int]:
    """How many ways to compute a score there are."""
    return [len(SCHEMES)]


CHECKS: dict[tuple[str, int], Check] = {
    ("gml", 1): lambda t, _: [len(HEAD_FIELDS)],
    ("gml", 5): lambda t, _: sums(t),
    ("gml", 10): following_heads,
    ("gml", 11): widths("query_heads", "queries"),
    ("gml", 14): lambda t, _: [TrainingSettings().n_heads],
    ("gml", 17): place("scores", "query", "key"),
    ("gml", 19): place("probabilities", "query"),
    ("gml", 26): lambda t, _: [StackSettings().n_layers],
    ("gml", 27): lambda t, _: [t.scale],
    ("mql5", 4): score_schemes,
    ("mql5", 5): widths("H", "queries", "query_heads"),
    ("mql5", 8): widths("key_heads", "inputs"),
    ("mql5", 9): widths("values", "inputs"),
    ("mql5", 11): widths("H"),
    ("mql5", 17): lambda t, _: [len(derive(t, "scores", (0, 0, 0, 0)).terms[0].factors)],
    ("mql5", 18): score_schemes,
    ("mql5", 23): lambda t, at: [*place("probabilities", "head")(t, at), *sums(t)],
    ("mql5", 26): place("head_outputs", "query"),
    ("mql5", 28): widths("H", "head_outputs", "merged", "inputs"),
    ("mql5", 29): widths("merged", "output"),
    ("mql5", 30): lambda t, at: {*widths("inputs", "output")(t, at)},
    ("mql5", 31): widths("merged", "H", "output"),
    ("doshi", 3): widths("key_heads", "keys", "H"),
    ("doshi", 6): score_schemes,
    ("doshi", 7): stage("reshape"),
    ("doshi", 8): stage("swap"),
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
    ("slides", 12): lambda t, _: [t.sizes["H"], len({one.tobytes() for one in t.probabilities[0]})],
    ("slides", 13): widths("key_heads", "value_heads"),
    ("slides", 14): lambda t, _: [t.sizes["H"], t.sizes["V"], *t.projections.w_o.shape],
    ("slides", 16): lambda t, _: heads_of_a_convolution(),
    ("note", 9): lambda t, _: [t.sizes["K"], np.linalg.matrix_rank(t.scores[0]).max()],
    ("note", 11): place("scores", "query"),
    ("note", 12): lambda t, _: sums(t),
    ("note", 19): widths("value_heads"),
    ("note", 23): widths("output"),
    ("note", 24): lambda *_: [sum(one.sizes["H"] for one in encoded("a sentence").traces)],
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
