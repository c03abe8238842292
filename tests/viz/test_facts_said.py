"""Pages say their facts: each stands on the page as its kind is written, and the answer holds no
number that is no fact. What the facts are is tested in `tests/lab`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from attention_lab.focus import Focus
from attention_lab.page_list import page_of
from attention_lab.scenario import Scenario
from attention_lab.words.numbers import facts_said
from attention_viz import blocks as b
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.pieces import label_of
from attention_viz.story.story_view import StoryView
from tests.viz.reading_blocks import all_of, blocks_of, values_read, words_of
from tests.viz.reading_words import numbers_said

PLAIN = "the cat saw the dog there"
FROG = "One day, a little frog was very sad. The"
# For each page states in which its facts differ: ties, negative numbers, a first step, a cut text.
STATES: list[tuple[str, str, dict[str, Any]]] = [
    ("why-this-word", FROG, {}),
    ("why-this-word", FROG, {"why_off": (36,)}),
    ("why-this-word", FROG, {"why_off": (36, 9), "why_by": "mean", "why_against": "none"}),
    ("why-this-word", FROG, {"why_token": "370", "why_against": "272", "why_head": "0.1"}),
    ("why-this-word", FROG, {"why_against": "431"}),
    ("cache", FROG, {}),
    ("cache", FROG, {"ca_tokens": 11}),
    ("cache", FROG, {"ca_tokens": 2, "ca_first": 1}),
    ("cache", FROG, {"ca_tokens": 5, "ca_first": 5}),
    ("cache", FROG, {"ca_tokens": 12, "ca_restarts": True}),
    ("find-a-head", FROG, {}),
    ("find-a-head", "Lily", {}),
    ("find-a-head", FROG, {"fh_rule": "previous token"}),
    ("find-a-head", FROG, {"fh_rule": "word to word"}),
    ("find-a-head", FROG, {"fh_rule": "word to word", "fh_from": "7", "fh_to": "3"}),
    ("find-a-head", FROG, {"fh_rule": "effective tokens"}),
    ("find-a-head", FROG, {"fh_rule": "mean distance"}),
    ("find-a-head", "The animal was tired", {"th_model": "MiniLM", "fh_rule": "itself"}),
    ("change-a-word", FROG, {}),
    ("change-a-word", FROG, {"th_layer": 2, "th_head": 5, "th_cell": "9-3-0"}),
    ("trained-heads", FROG, {}),
    ("trained-heads", "The animal was tired", {"th_model": "MiniLM"}),
    ("trained-heads", FROG, {"th_open": True}),
    ("trained-heads", FROG, {"th_open": True, "th_layer": 1, "th_head": 0}),
    ("trained-heads", FROG, {"th_open": True, "th_cell": "12-8-0", "oh_lines": "all"}),
    ("writing", FROG, {}),
    ("writing", FROG, {"wr_temperature": 0.0}),
    ("writing", FROG, {"wr_top_p": 0.1}),
    ("writing", FROG, {"wr_temperature": 2.0, "wr_top_p": 1.0}),
    ("what-changes", PLAIN, {}),
    ("what-changes", PLAIN, {"against": "d_o", "value": "6"}),
    ("what-changes", PLAIN, {"against": "residual"}),
    ("what-changes", PLAIN, {"against": "seed", "value": "3", "shown": "probabilities"}),
    ("what-changes", PLAIN, {"change": "order", "inv_shuffle": 3, "shown": "probabilities"}),
    ("mask-workshop", PLAIN, {}),
    ("mask-workshop", PLAIN, {"mw_masks": ("causal", "window"), "mw_window": 0}),
    ("mask-workshop", PLAIN, {"mw_sequence": "2", "mw_masks": ()}),
    ("encoder-decoder", PLAIN, {}),
    ("encoder-decoder", PLAIN, {"ed_use": "decoder", "ed_cell": (0, 3), "ed_pad": 0}),
    ("questions", PLAIN, {"concepts_text": ("asked",)}),
    ("questions", PLAIN, {"concepts_text": ("asked",), "concepts_words": "root"}),
    ("convolution", PLAIN, {}),
    ("convolution", PLAIN, {"conv_second": "ramp", "conv_padding": "sink", "conv_asks": (3, 4)}),
    ("convolution", PLAIN, {"conv_kernel": "2 × 2: Roberts", "conv_sharpness": "40.0"}),
    ("convolution", PLAIN, {"conv_kernel": "own", "conv_own": "0", "conv_tokens": "raw"}),
    ("stiefel", PLAIN, {}),
    ("stiefel", PLAIN, {"stiefel_width": "16", "stiefel_heads": "16", "stiefel_seed": 2}),
    ("stiefel", PLAIN, {"stiefel_heads": "1", "stiefel_plane_columns": False}),
    ("training", PLAIN, {}),
    ("training", PLAIN, {"train_at": 0}),
    ("training", PLAIN, {"train_task": "letters", "train_model": "3 heads", "train_seed": 4}),
    ("training", PLAIN, {"train_batch": 512, "train_steps": 100_000}),
    ("two-layers", PLAIN, {}),
    ("two-layers", PLAIN, {"circuit_at": 7, "circuit_place": 0}),
    ("two-layers", PLAIN, {"circuit_heads": "2", "circuit_off": ("0-1", "1-0")}),
    ("two-layers", PLAIN, {"circuit_layers": "1", "circuit_letters": "aaba", "circuit_place": 1}),
    ("two-layers", PLAIN, {"circuit_off": ("1-0",), "circuit_letters": "abcdeabcd"}),
    ("all-heads", PLAIN, {}),
    ("all-heads", "Lily", {"heads_view": "Lines"}),
    ("all-heads", PLAIN, {"heads_view": "Row and column", "heads_stage": "raw"}),
    ("all-heads", PLAIN, {"heads_view": "Lines", "heads_lines": "all", "subset": ("1", "2")}),
    ("head-worth", PLAIN, {}),
    ("head-worth", PLAIN, {"off": ("0", "3")}),
    ("head-worth", PLAIN, {"off": ("0", "1", "2", "3")}),
    ("shared-keys", PLAIN, {"groups": "2", "latent": 3}),
    ("shared-keys", PLAIN, {"groups": "1", "shared_count": "multiplications"}),
    ("construct", PLAIN, {}),
    ("construct", PLAIN, {"construct_task": "Break the promise"}),
    ("one-matrix-or-many", PLAIN, {}),
    ("self-attention-mass", PLAIN, {}),
    ("self-attention-mass", PLAIN, {"lab_cell": (1, 4), "lab_weights": "free", "lab_causal": True}),
    ("self-attention-mass", PLAIN, {"lab_cell": (4, 1), "lab_causal": True}),
    ("propositions", PLAIN, {}),
    ("propositions", PLAIN, {"lab_tokens": "numbers", "lab_numbers": "1; 2; 3"}),
    ("propositions", PLAIN, {"truths_search": "S4"}),
    ("propositions", "Lily", {"truths_search": "S7"}),
    ("modern-diagonal", PLAIN, {}),
    ("modern-diagonal", "the the the", {"modern_delta": "1"}),
    ("depth", PLAIN, {"depth_layers": 3, "depth_weights": "random", "depth_seed": 2}),
    ("geometry", PLAIN, {}),
    ("geometry", PLAIN, {"plane_of": "free", "plane_token": 3}),
    ("growth", PLAIN, {"growth_scaled": False, "growth_n": ("4", "64")}),
]


def scenario_of(path: str, text: str) -> Scenario:
    """The pages about heads with a layer whose widths all differ."""
    is_of_heads = page_of(path).section == "heads"
    return Scenario(text, d_k=6, d_v=5) if is_of_heads else Scenario(text)


def quoted(answer: str) -> list[str]:
    """The place of a quoted token, behind it in brackets or before it."""
    behind = re.findall(r"”(?: of “[^”]*”)? \\?\((\d+)", answer)
    return behind + re.findall(r"“(\d+)", answer)


def said(texts: Any) -> str:
    return texts.replace("\u2068", "").replace("\u2069", "").replace("\\", "")


@pytest.mark.parametrize(("path", "text", "chosen"), STATES)
def test_a_page_says_its_facts_and_its_answer_no_other_number(
    path: str, text: str, chosen: dict[str, Any]
) -> None:
    page, view = BLOCK_PAGES[path], StoryView(scenario_of(path, text))
    view = replace(view, focus=Focus(2, 1, 4, 0).inside(view.trace))
    assert page.facts
    facts = [*facts_said(page.facts(view, values_read(page, view, **chosen)))]
    shown = blocks_of(page, view, **chosen)
    words = said(words_of(shown)).replace("− ", "−")  # the sign between two parts of a sum
    assert [fact for fact in facts if label_of(fact).replace("− ", "−") not in words] == []
    answer = next((one.text for one in all_of(shown, b.Text) if not one.small), "")
    told = Counter(numbers_said(said(answer).replace(text, "")))
    places = {number for one in quoted(answer) for number in numbers_said(one)}
    known = {number for fact in facts for number in numbers_said(fact)} | places
    known |= {float(one) for one in chosen.values() if str(one).isdigit()} | {view.scenario.seed}
    assert [number for number in told if number not in known] == []


def kinds_of(facts: Any) -> list[Any]:
    """A sum as the page writes it: the whole, then its parts."""
    *parts, whole = facts.kinds
    return [whole, *parts]


def loss_of(facts: Any) -> list[Any]:
    """The whole, its three parts in a line, then each in its own."""
    direct, response, norm, whole = facts.loss
    return [whole, direct, response, norm, direct, response]


def added_of(facts: Any) -> list[Any]:
    own, others, whole = facts.added
    return [whole, facts.source, facts.source_read, own, others]


def content_of(facts: Any) -> list[Any]:
    hits = [facts.by_attention, facts.grey, facts.by_kernel, facts.grey]
    return [*facts.pixel, facts.mark, facts.share, *facts.twin, hits[0], hits[1]]


def habit_of(habit: Any) -> list[Any]:
    return [habit.head, *habit.shares, habit.tokens]


def kind_of(kind: Any) -> list[Any]:
    return [kind.sets, kind.kept, kind.attention, kind.output]


def looks_of(looks: Any, n: int) -> list[Any]:
    return [looks.rows, n, looks.own, looks.ties, looks.drawn_rows, n, looks.drawn_own]


IN_ORDER: list[tuple[str, dict[str, Any], Callable[[Any], list[Any]]]] = [
    ("why-this-word", {}, lambda f: [f.before, f.layer, f.head, f.read, f.read_from]),
    (
        "why-this-word",
        {"why_off": (36,)},
        lambda f: [*f.off[0][::-1], f.after, f.before, *f.comes, f.layer, f.head, f.read],
    ),
    ("why-this-word", {"why_off": (36,)}, lambda f: [f.rest, f.rest_now]),
    ("why-this-word", {"why_token": "370", "why_head": "0.1"}, kinds_of),
    ("why-this-word", {}, lambda f: [f.leading.name, f.leading.added, f.n_parts]),
    ("why-this-word", {}, lambda f: [f.n_parts, f.second.name, f.second.added]),
    ("why-this-word", {"why_head": "0.1"}, loss_of),
    ("why-this-word", {}, added_of),
    ("cache", {"ca_tokens": 11}, lambda f: [label_of(f.last), f.kept, f.saved]),
    (
        "cache",
        {"ca_tokens": 11},
        lambda f: [f.now[0], f.so_far[0], f.now[1], f.so_far[1]],
    ),
    ("find-a-head", {}, lambda f: [f.layer, f.head, f.number, f.lost]),
    (
        "find-a-head",
        {"fh_rule": "word to word"},
        lambda f: [f.layer, f.head, f.asking, f.read, f.number, f.even],
    ),
    ("trained-heads", {}, lambda f: [f.layers, f.heads]),
    ("trained-heads", {}, lambda f: [f.sink.layer, f.sink.head, f.sink.share]),
    ("find-a-head", {}, lambda f: [n for one in f.copiers for n in vars(one).values()]),
    ("change-a-word", {}, lambda f: [f.gave, f.gives]),
    (
        "change-a-word",
        {},
        lambda f: [f.moved, f.top.layer, f.top.head, f.top.before, f.top.after],
    ),
    (
        "trained-heads",
        {"th_open": True, "th_cell": "15-8-0"},
        lambda f: [f.share, f"{f.pieces[-1]} %", *f.pieces[:-1]],
    ),
    (
        "writing",
        {"wr_temperature": 2.0, "wr_top_p": 1.0},
        lambda f: [
            *(part for name, share in f.named for part in (label_of(name), share)),
            f.others,
        ],
    ),
    ("what-changes", {"against": "d_o", "value": "6"}, lambda f: [*f.widths]),
    (
        "what-changes",
        {"against": "seed", "value": "3", "shown": "probabilities"},
        lambda f: [f.largest.before, f.largest.after, f.largest.change],
    ),
    (
        "what-changes",
        {"against": "seed", "value": "3"},
        lambda f: [f.head, f.moved, f.most_in, f.most, f.row_sum],
    ),
    ("mask-workshop", {"mw_masks": ()}, lambda f: [f.sequence, f.share, f.head]),
    (
        "encoder-decoder",
        {"ed_target": "one", "ed_cell": (0, 4)},
        lambda f: [n for use in f.hidden.values() for n in use],
    ),
    ("encoder-decoder", {"ed_target": "one", "ed_cell": (0, 4)}, lambda f: [f.head, f.share]),
    (
        "questions",
        {"concepts_text": ("asked",)},
        lambda f: [*f.asked, *f.ideas, *f.claims],
    ),
    ("convolution", {"conv_second": "ramp"}, lambda f: [f.sharpness, f.error, f.target, f.side]),
    ("convolution", {"conv_second": "ramp"}, lambda f: [f.side, f.heads, *f.channels]),
    ("convolution", {"conv_asks": (3, 4)}, lambda f: [*content_of(f.content)]),
    ("convolution", {}, lambda f: [f.two_heads().error, f.two_heads().sharp_error]),
    (
        "convolution",
        {"conv_tokens": "raw"},
        lambda f: [f.one_by_one().choosing, f.one_by_one().tokens, f.one_by_one().error],
    ),
    ("stiefel", {}, lambda f: [f.unseen, f.width, f.normal.largest, f.normal.smallest]),
    ("stiefel", {}, lambda f: [f.heads, f.head_width, f.tokens, f.even, f.tokens]),
    ("stiefel", {}, lambda f: [f.free, f.constrained, f.part]),
    ("stiefel", {"stiefel_seed": 2}, lambda f: list(f.lengths[1])),
    ("training", {}, lambda f: [1, f.why.one, 1, f.why.wide, 2, f.why.two, 2]),
    ("training", {}, lambda f: [part for one in f.why.heads for part in (one.head, one.share)]),
    ("training", {"train_at": 34}, lambda f: [f.step, f.trained, f.last]),
    ("training", {"train_at": 34}, lambda f: [f.step, f.score, f.best]),
    (
        "training",
        {"train_task": "letters", "train_model": "3 heads", "train_batch": 7},
        lambda f: [f.tokens, f.features, f.heads, f.d_k, f.d_v, f.numbers, f.last, f.batch],
    ),
    ("two-layers", {"circuit_place": 8}, lambda f: [f.place, f.share, f.last, f.unseen, f.right]),
    (
        "two-layers",
        {"circuit_heads": "2"},
        lambda f: [f.right, *(n for h, share in f.each for n in (h.layer, h.head, share))],
    ),
    (
        "two-layers",
        {"circuit_heads": "2", "circuit_off": ("1-0",)},
        lambda f: [f.off[0].layer, f.off[0].head, f.now, f.unseen, f.right],
    ),
    (
        "two-layers",
        {"circuit_at": 7},
        lambda f: [f.numbers, f.step, f.last_step, 0, f.back, f.last_layer, f.after],
    ),
    ("two-layers", {}, lambda f: [f.place, f.key().place, f.key().share, f.key().parts[-1]]),
    ("two-layers", {}, lambda f: [f.stored[1].numbers, f.stored[1].right, *f.stored[1].without[0]]),
    (
        "all-heads",
        {"subset": ("1", "3")},
        lambda f: [f.average.in_a_head, f.average.in_the_mean, f.average.largest_sum],
    ),
    ("all-heads", {"subset": ("1", "3")}, lambda f: [*habit_of(f.habits[1])]),
    (
        "all-heads",
        {"heads_view": "Row and column"},
        lambda f: [*f.cell.sums, "dog", f.cell.head, f.cell.column, "cat", "dog", f.cell.share],
    ),
    ("head-worth", {}, lambda f: [*f.most_in, f.most, *f.least_in, f.least]),
    ("head-worth", {}, lambda f: [f.signed_sum, f.norm_sum, *f.by_signed, *f.by_norm]),
    ("head-worth", {"off": ("0", "3")}, lambda f: [*f.off.heads, f.off.moved]),
    ("head-worth", {}, lambda f: [f.head, "cat", f.moved]),
    ("shared-keys", {"latent": 3}, lambda f: [*f.moved]),
    (
        "shared-keys",
        {"latent": 3},
        lambda f: [part for one in f.kinds[:3] for part in kind_of(one)],
    ),
    ("shared-keys", {"latent": 3}, lambda f: [f.rank, f.largest, f.absorbed, f.turned]),
    ("one-matrix-or-many", {}, lambda f: [f.depth, f.all, f.chain]),
    ("one-matrix-or-many", {}, lambda f: [f.tokens, f.convolutions[0].sizes[2], f.head]),
    ("one-matrix-or-many", {}, lambda f: [f.tokens, f.depth, f.tokens, f.depth, f.generated]),
    ("one-matrix-or-many", {}, lambda f: [*f.designs[0], f.designs[1][0]]),
    ("self-attention-mass", {}, lambda f: [f.mine, f.n, f.ties, f.mass, f.uniform, f.broken]),
    (
        "self-attention-mass",
        {"lab_cell": (1, 4)},
        lambda f: [f.pair.share, f.pair.own, f.pair.other, f.pair.excess, f.pair.ratio],
    ),
    (
        "self-attention-mass",
        {"lab_cell": (4, 4)},
        lambda f: [f.pair.own, f.pair.margin, f.pair.largest],
    ),
    ("propositions", {"truths_search": "S4"}, lambda f: [f.search.tried, f.search.applied]),
    ("modern-diagonal", {}, lambda f: [f.rows.plain, f.n, f.rows.ties, f.others, f.rows.most]),
    (
        "modern-diagonal",
        {"lab_tokens": "numbers", "lab_numbers": "1; 2; 2"},
        lambda f: [
            *(f.rows.plain, f.n, f.rows.ties, f.rows.most, *f.rows.most_in),
            *(f.rows.fewest, *f.rows.fewest_in),
        ],
    ),
    *(
        (
            "modern-diagonal",
            {},
            lambda f, n=n: [part for one in f.statements[n].numbers for part in one],
        )
        for n in (0, 3, 7)
    ),
    ("modern-diagonal", {}, lambda f: [f.low, f.high]),
    ("modern-diagonal", {}, lambda f: [*looks_of(f.looks[-1], f.n)]),
    ("depth", {"depth_layers": 3}, lambda f: [f.n_layers, 8, f.n_layers, 16]),
    ("geometry", {}, lambda f: [f.own, *(part for one in f.beaten for part in one)]),
    ("geometry", {}, lambda f: [f.n_longer, f.rising]),
    ("growth", {}, lambda f: [part for pair in f.half for part in pair]),
    ("growth", {}, lambda f: [f.widths[-1].unscaled, f.widths[-1].scaled]),
]


@pytest.mark.parametrize(("path", "chosen", "order"), IN_ORDER)
def test_facts_stand_in_their_places(
    path: str, chosen: dict[str, Any], order: Callable[[Any], list[Any]]
) -> None:
    """Within one paragraph, or of the columns of the cache one after the other: who exchanges two
    of them is found.
    """
    page = BLOCK_PAGES[path]
    is_of_model = page_of(path).section == "trained"
    view = StoryView(scenario_of(path, FROG if is_of_model else PLAIN), Focus(2, 1, 4, 0))
    assert page.facts
    wanted = list(map(str, order(page.facts(view, values_read(page, view, **chosen)))))
    words = said(words_of(blocks_of(page, view, **chosen))).replace("− ", "−")
    pattern = r"[^\d%]{0,320}?(?:\(\d+\)[^\d%]{0,160}?)?".join(
        rf"(?<![\d.,]){re.escape(one)}(?![\d])" for one in wanted
    )
    assert re.search(pattern, words, re.DOTALL), wanted
