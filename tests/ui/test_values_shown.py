"""The pages of the story, the heads and the masks show the values that their functions give.

The functions themselves are tested in tests/lab; here each page is opened once or twice, and the
values are looked for in what it shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core import Rotary
from attention_core.derivation import derive
from attention_core.trace import head_columns
from attention_lab.compare import TwoLayers, compare_with, largest_change
from attention_lab.heads import head_worth
from attention_lab.heads import layout_mistakes as layout
from attention_lab.heads.counts import layer_size, total_count
from attention_lab.heads.designs import count_designs
from attention_lab.heads.habits import EFFECTIVE_TOKENS, HABITS
from attention_lab.heads.keys_read import averaging_effect, read_row, scale_effect, strongest_keys
from attention_lab.heads.latent import absorbed_scores, with_latent
from attention_lab.heads.patterns import column_sums, effective_tokens, pattern_of
from attention_lab.heads.reruns import relative_change
from attention_lab.heads.schedule import schedule
from attention_lab.heads.score_schemes import SCHEMES, wasted_share
from attention_lab.heads.shared_keys import CACHE, with_shared_keys
from attention_lab.heads.weight_blocks import absorbed_size, heads_mixed
from attention_lab.heads.window_convolution import array_sizes
from attention_lab.masks import mask_experiments as experiments
from attention_lab.masks.encoder_decoder import run_three_uses
from attention_lab.masks.hiding import last_query_alone
from attention_lab.masks.invariances import LAYER_CHANGES
from attention_lab.masks.mask_workshop import masked_batch
from attention_lab.masks.mistake_checks import MISTAKE_CHECKS, examine_layer
from attention_lab.masks.mistakes import row_sum_with_dropout
from attention_lab.masks.shuffles import run_shuffled
from attention_lab.masks.temperature import at_temperature
from attention_lab.scenario import Scenario
from attention_lab.url_choices import read_url
from attention_lab.url_values import url_text
from attention_lab.words.numbers import format_number, format_percent, format_span
from attention_viz.arithmetic import format_derivation
from attention_viz.every_page import BLOCK_PAGES
from attention_viz.heads.shared_keys_page import LATENT
from attention_viz.story.story_view import StoryView, view_of
from tests.viz.derived_numbers import slice_of
from tests.viz.reading_blocks import blocks_of, words_of

AT = {"head": "1", "query": "5", "key": "2", "feature": "3"}
Values = Callable[[Any], list[str]]  # of what the page shows, a StoryView
CASES: list[Any] = []
CHANGE = next(one for one in LAYER_CHANGES if one.key == "column_constants")


def on(page: str, **choices: Any) -> Callable[[Values], Values]:
    """A page that shows what the function below it gives."""

    def register(values: Values) -> Values:
        name = f"{page} {values.__name__} {len(CASES)}"
        CASES.append(pytest.param(page, choices, values, id=name))
        return values

    return register


@on("overview", mask="causal")
def overview(now: StoryView) -> list[str]:
    trace, sizes = now.trace, now.trace.sizes
    return [
        f"Tokens here: {sizes['T']}; numbers for each: {sizes['D']}",
        f"Heads: {sizes['H']}",
        format_number(float(trace.scores[0, 1, 5, 2])),
        f"{trace.hidden_keys[0, 1].sum()} of {sizes['T'] * sizes['S']}",
        format_percent(read_row(trace, 1, 5).strongest[0][1]),
    ]


@on("projections", weights="trained", layer=3)
def projections(now: StoryView) -> list[str]:
    column = now.focus.column(now.trace, "queries")
    return [
        format_span(head_columns(now.trace, "queries", 1), "column"),
        f"column {column} of W_Q, plus number {column} of b_Q",
        format_derivation(derive(now.trace, "queries", (0, 5, column))),
    ]


@on("split")
def split(now: StoryView) -> list[str]:
    shape = now.batch.query_heads.shape
    places = layout.split_positions(shape, 1, 5, 3, now.sequence)
    wrong = layout.wrong_token_cells(*(shape[axis] for axis in (2, 1, 3)))
    return [
        str(shape),
        str(list(places.fused)),
        str(list(places.reshaped)),
        str(list(places.swapped)),
        str(list(places.unswapped)),
        f"{wrong.sum()} of {wrong.size}",
        f"{now.trace.projections.n_weights:,}",
        f"at most {min(now.trace.sizes['K'], now.trace.sizes['T'])}.",
    ]


@on("scores")
def scores(now: StoryView) -> list[str]:
    counts = {
        one.key: one.multiplications.of(replace(layer_size(now.trace), n_tokens=1))
        for one in SCHEMES
    }
    total = float(slice_of(now.trace, "pair_total", {0: 0, 1: 5, 2: 2}))
    return [f"**{counts['full']}**", f"**{counts['hadamard']}**", format_number(total, among=1.0)]


@on("scale", notation="note")
@on("scale", notation="gml")
def scale(now: StoryView) -> list[str]:
    effect = scale_effect(now.trace, 1)
    return [
        f"have variance {format_number(float(now.trace.scores[0, 1].var()), 2)}",
        f"{format_number(effect.spread_raw, 2)} before",
        f"{format_number(effect.spread, 2)} after",
        format_percent(effect.top_raw),
        format_percent(effect.top),
        f"|{now.symbol('scale')}|".replace("\\", ""),
        f"head width {now.symbol('d_k')} = 4".replace("\\", ""),
    ]


@on("mask", mask="causal")
@on("mask", mask="window", window=2)
def mask(now: StoryView) -> list[str]:
    alone = last_query_alone(now.trace)
    return [
        f"{12 - read_row(now.trace, 1, 5).hidden} of 12",
        f"{alone.hidden_top_left} of 12 keys",
        format_number(alone.top_left, among=1.0),
        format_derivation(derive(now.trace, "masked_scores", (0, 1, 5, 2))),
    ]


@on("softmax", mask="causal")
def softmax(now: StoryView) -> list[str]:
    row = read_row(now.trace, 1, 5)
    return [
        *(format_percent(share) for _, share in row.strongest),
        f"Other keys it reads: {row.others}",
        f"sum to {format_number(row.total, 6)}",
        f"in this row: {row.hidden}",
        f"in this layer: {now.trace.empty_rows.sum()}",
        f"{format_number(row_sum_with_dropout(now.trace, 1, 5), 3)}**",
        format_derivation(derive(now.trace, "probabilities", (0, 1, 5, 2))),
    ]


@on("mixing")
def mixing(now: StoryView) -> list[str]:
    return [
        format_percent(read_row(now.trace, 1, 5).strongest[0][1]),
        format_derivation(derive(now.trace, "head_outputs", (0, 1, 5, 3))),
    ]


@on("merge")
def merge(now: StoryView) -> list[str]:
    row, column = layout.merged_position(now.trace, 1, 5, 3, swap=False)
    wrong = layout.wrong_merged_cells(now.trace)
    return [
        f"row 5, column 1 · 4 + 3 = **{layout.merged_position(now.trace, 1, 5, 3)[1]}**",
        f"row {row}, column {column}",
        f"{wrong.sum():,} of {wrong.size:,}",
    ]


@on("output")
def output(now: StoryView) -> list[str]:
    stored = absorbed_size(now.trace)
    return [
        f"**{heads_mixed(now.trace, 3)} of 4**",
        format_span(head_columns(now.trace, "merged", 1), "row"),
        f"**{stored.products:,}**",
        f"**{stored.apart:,}**",
        format_derivation(derive(now.trace, "output", (0, 5, 3))),
    ]


@on("output", n_heads=1)
@on("output", n_heads=2)
@on("output", d_model=12, n_heads=3, d_v=12, notation="mql5")
def stored(now: StoryView) -> list[str]:
    found = absorbed_size(now.trace)
    return [f"{found.compared} numbers: ", f"**{found.products:,}**", f"**{found.apart:,}**"]


@on("seen", mask="causal")
def seen(now: StoryView) -> list[str]:
    largest = [strongest_keys(now.trace, head, 5, count=1) for head in range(4)]
    return [f"Head {head} reads most from" for head, found in enumerate(largest) if found] + [
        format_percent(share) for found in largest for _, share in found
    ]


@on("all-heads")
def all_heads(now: StoryView) -> list[str]:
    lost, pattern = averaging_effect(now.trace, range(4)), pattern_of(now.trace)
    return [
        format_percent(float(HABITS[1].value(pattern)[0, 1])),
        format_number(float(EFFECTIVE_TOKENS.value(pattern)[0, 1]), 1),
        f"{format_number(lost.in_a_head, 1)} tokens",
        f"over {format_number(lost.in_the_mean, 1)} ",
        format_number(lost.largest_sum, 2),
    ]


@on("all-heads", heads_view="Row and column")
def row_and_column(now: StoryView) -> list[str]:
    return [
        format_number(float(column_sums(now.trace.probabilities)[0][1, 2]), 2, among=1.0),
        format_percent(float(now.trace.probabilities[0, 1, 5, 2])),
    ]


@on("head-worth", off="0.2")
def worth(now: StoryView) -> list[str]:
    trace = now.trace
    signed, norms = head_worth.signed_shares(trace)[0], head_worth.norm_shares(trace)[0]
    without = head_worth.ablated_output(trace, (0, 2))
    return [
        format_percent(relative_change(trace.output, without)),
        f"moves by {format_number(float(head_worth.token_changes(trace)[0, 1, 5]))}.",
        f"sum to {format_number(float(signed.sum()), 6)}",
        f"here to {format_number(float(norms.sum()), 3)}",
        *(", ".join(map(str, head_worth.ranking(shares))) for shares in (signed, norms)),
    ]


@on("head-worth", mask="causal")
def needed_most_and_least(now: StoryView) -> list[str]:
    whole = now.trace.output[0]
    moved = [
        np.linalg.norm(whole - head_worth.ablated_output(now.trace, [head])[0]) for head in range(4)
    ]
    shares = np.array(moved) / np.linalg.norm(whole)
    ends = int(shares.argmax()), int(shares.argmin())
    return [f"**head {one}**: by {format_percent(float(shares[one]))}" for one in ends]


@on("shared-keys")
def shared_keys(now: StoryView) -> list[str]:
    size, found = layer_size(now.trace), []
    for groups in (4, 2, 1):
        found.append(f"**{total_count(CACHE, replace(size, n_kv_heads=groups)):,}**")
        moved = relative_change(now.trace.output, with_shared_keys(now.trace, groups).output)
        found.append(format_percent(moved))
    latent = with_latent(now.trace, LATENT.default)
    found.append(format_percent(relative_change(now.trace.output, latent.output)))
    turned = absorbed_scores(now.trace, LATENT.default, Rotary()).difference
    return [*found, f"wrong by up to {format_number(turned, 2)}", f"| {LATENT.default} |"]


@on("what-changes", against="mask", value="causal")
def compare(now: StoryView) -> list[str]:
    two = compare_with(Scenario(), "mask", "causal")
    moved = largest_change(*two.matrices("probabilities", 1), 0)
    shares = [two.moved_share(head) for head in range(4)]
    return [
        f"{format_percent(moved.before)} → {format_percent(moved.after)}",
        f"{100 * abs(moved.after - moved.before):.1f} percentage points",
        format_percent(shares[1]),
        format_percent(max(shares)),
        f"most in head {int(np.argmax(shares))}",
    ]


@on("one-matrix-or-many")
def ways(now: StoryView) -> list[str]:
    size, plan, designs = layer_size(now.trace), schedule(now.trace), count_designs(now.trace)
    return [
        *(f"| {n:,} |" for one in (designs.separate, designs.together) for n in one),
        *(f"= {count.of(size):,}" for way in SCHEMES for count in (way.multiplications, way.extra)),
        f"{format_percent(wasted_share(4))} of the full",
        f"Moments: {plan.depth}",
        f"{plan.multiplications:,}",
        f"{plan.longest_chain:,}",
        *(f"{a} × {b} | {a * b:,}" for one in array_sizes(now.trace) for a, b in (one.fused,)),
    ]


def batch_of(now: StoryView, *masks: str) -> Any:
    """The batch of the mask workshop as it opens, under some masks."""
    others = ("The street was wide and empty", "It slept well")
    return masked_batch(now.scenario, others, masks)


@on("mask-workshop", mw_try="how to hide")
def workshop(now: StoryView) -> list[str]:
    batch = batch_of(now, "causal", "padding")
    effects = experiments.hiding_effects(batch, 0, 1, 5, -4.0)
    return [
        format_percent(float(batch.trace.probabilities[0, 1, 5, 2])),
        *(format_percent(float(one.leaked[5])) for one in effects),
        *(format_percent(one.largest_leak) for one in effects),
    ]


@on("mask-workshop", mw_try="mask or scale first")
def orders(now: StoryView) -> list[str]:
    found = experiments.compare_all_orders(batch_of(now, "causal", "padding"), 0, 1, -4.0)
    return [f"| {name} | {format_number(one.gap, 6)} |" for name, one in found.items()]


@on("mask-workshop", mw_try="nothing left")
def nothing_left(now: StoryView) -> list[str]:
    found = experiments.hide_all_keys(batch_of(now, "causal", "padding"), 0, 1, 5)
    return [
        f"{found.nan_shares} | {found.nan_outputs} |",
        f"output: {found.nan_tokens} ({found.nan_outputs} numbers)",
    ]


@on("mask-workshop", mw_try="padded queries", mw_masks="window", mw_sequence="2")
def padded_queries(now: StoryView) -> list[str]:
    found = experiments.replace_padding(batch_of(now, "window"), 2)
    return [format_number(found.padded), format_number(found.real)]


@on("encoder-decoder")
@on("encoder-decoder", text="a b c d e f g h " * 5)
def three_uses(now: StoryView) -> list[str]:
    traces = run_three_uses(now.scenario, "Das Tier war zu müde", 2)
    return [
        *(f"{t.hidden_keys[0, 0].sum():,} of {t.scores[0, 0].size:,}" for t in traces.values()),
        format_percent(float(traces["cross"].probabilities[0, 1, 0, 0])),
    ]


@on("what-changes", change="order")
def shuffled(now: StoryView) -> list[str]:
    return [format_number(run_shuffled(now.scenario).gap("output"))]


@on("what-changes", change=CHANGE.key, inv_seed=3)
def changed(now: StoryView) -> list[str]:
    two = TwoLayers(now.trace, CHANGE.apply(now.trace, 3))
    return [format_number(two.gap(field)) for field in ("probabilities", "output")]


@on("softmax", inv_temperature="2", notation="gml")
def temperature(now: StoryView) -> list[str]:
    rows = [now.trace.probabilities[0, 1, 5], at_temperature(now.trace, np.array([2.0]), 1)[0, 5]]
    return [
        *(format_number(float(effective_tokens(row)), 2) for row in rows),
        *(format_percent(float(row[2])) for row in rows),
        f"√{now.symbol('d_k')} ".replace("\\", ""),
    ]


@on("what-changes", change="merge")
def broken(now: StoryView) -> list[str]:
    layer = examine_layer(now.scenario, "merge")
    failed = [one for one in MISTAKE_CHECKS if not layer.results[one.key].passed]
    return [
        f"{len(failed)} of {len(MISTAKE_CHECKS)} checks",
        *(f"**{one.name}**. {layer.results[one.key].sentence}" for one in failed),
    ]


def shown_by_blocks(page: str, choices: dict[str, Any]) -> tuple[StoryView, str]:
    """A page that is described once, read without the app."""
    blocks, texts_of = BLOCK_PAGES[page], {name: url_text(v) for name, v in choices.items()}
    view = view_of(read_url({name: [text] for name, text in (AT | texts_of).items()}))
    own = {c.key: c.read(texts_of[c.key]) for c in blocks.choices(view) if c.key in texts_of}
    return view, words_of(blocks_of(blocks, view, **own))


@pytest.mark.parametrize(("page", "choices", "values"), CASES)
def test_a_page_shows_its_values(page: str, choices: dict[str, Any], values: Values) -> None:
    now, shown = shown_by_blocks(page, choices)
    found = [value.replace("\\", "") for value in values(now)]
    assert [value for value in found if value not in shown] == []
