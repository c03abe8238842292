"""What *What changes?* and *Mask workshop* say, against the layers and plain loops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_lab.compare import TwoLayers, compare_with
from attention_lab.masks.encoder_decoder import run_three_uses
from attention_lab.masks.facts import changes_facts, uses_facts, workshop_facts
from attention_lab.masks.mask_workshop import masked_batch
from attention_lab.masks.shuffles import run_shuffled
from attention_lab.scenario import Scenario, trace_of

LAYER = Scenario("the cat saw the dog there", mask="window", window=1)
HEAD, QUERY = 2, 3


def largest_in_loops(two: TwoLayers, before: np.ndarray, after: np.ndarray) -> tuple[int, int]:
    """The cell with the largest difference that both show; rows and columns in the new order."""
    order, found = two.order or range(len(before)), {}
    for i in range(len(after)):
        for j in range(len(after[0])):
            gap = after[i, j] - before[order[i], order[j]]
            found[i, j] = abs(gap) if np.isfinite(gap) else 0.0
    return max(found, key=lambda place: found[place])


@pytest.mark.parametrize(
    "two",
    [
        compare_with(LAYER, "mask", "none"),
        compare_with(replace(LAYER, mask="none"), "mask", "causal"),
        compare_with(LAYER, "seed", 4),
        run_shuffled(LAYER, 3),
    ],
)
def test_the_largest_difference_has_its_sign_and_its_place(two: TwoLayers) -> None:
    before, after = (one.probabilities[0, HEAD] for one in (two.before, two.after))
    row, column = largest_in_loops(two, before, after)
    largest = changes_facts(two, "probabilities", HEAD, QUERY).largest
    assert largest
    assert (largest.row, largest.column) == (row, column)
    order = two.order or range(len(before))
    was, comes = before[order[row], order[column]], after[row, column]
    assert (largest.before, largest.after) == (was, comes)
    sign = "+" if comes > was else "−"
    assert str(largest.change) == f"{sign}{abs(100 * (comes - was)):.1f} percentage points"


def test_scores_differ_in_numbers_and_not_in_percent() -> None:
    two = compare_with(LAYER, "seed", 4)
    largest = changes_facts(two, "scores", HEAD, QUERY).largest
    assert largest
    gaps = two.after.scores[0, HEAD] - two.before.scores[0, HEAD]
    assert largest.change == pytest.approx(gaps.flat[np.abs(gaps).argmax()])
    assert "%" not in f"{largest.before} {largest.change}"


@pytest.mark.parametrize(
    ("name", "value", "outcome", "widths"),
    [
        ("d_o", 6, "widths", (6, 16)),
        ("residual", True, "moved", None),
        ("scale", 3.0, "same", None),
    ],
)
def test_whether_the_output_changes(
    name: str, value: Any, outcome: str, widths: tuple[int, int] | None
) -> None:
    two = compare_with(LAYER, name, value)
    facts = changes_facts(two, "probabilities", HEAD, QUERY)
    assert (facts.outcome, facts.widths) == (outcome, widths)
    if outcome == "moved":
        assert facts.gap == pytest.approx(np.abs(two.after.output - two.before.output).max())
        np.testing.assert_allclose(facts.gap, np.abs(trace_of(LAYER).inputs).max())


def test_how_much_attention_moves() -> None:
    two = compare_with(LAYER, "seed", 4)
    facts, size = changes_facts(two, "output", HEAD, QUERY), 6
    moved = []
    for head in range(4):
        a, b = (one.probabilities[0, head] for one in (two.before, two.after))
        rows = [sum(abs(b[i, j] - a[i, j]) for j in range(size)) / 2 for i in range(size)]
        moved.append(sum(rows) / size)
    assert (facts.head, facts.most_in) == (HEAD, int(np.argmax(moved)))
    assert (facts.moved, facts.most) == (pytest.approx(moved[HEAD]), pytest.approx(max(moved)))
    assert facts.row_sum == pytest.approx(two.after.probabilities[0, HEAD, QUERY].sum())


def test_the_query_in_focus_is_found_in_the_new_order() -> None:
    two = run_shuffled(replace(LAYER, sink=True), 3)
    for query in range(6):
        facts = changes_facts(two, "output", HEAD, query)
        assert two.order[facts.row] == query
        assert two.after.tokens[facts.row] == two.before.tokens[query]
        shares = two.after.probabilities[0, HEAD][facts.row]
        assert facts.row_sum == pytest.approx(sum(shares.tolist()))
    assert facts.row != query


@pytest.mark.parametrize("back", [False, True])
def test_what_a_sink_takes_has_moved(back: bool) -> None:
    """What all keys together lose or gain went to or came from the sink, whole."""
    plain = replace(LAYER, sink_logit=1.0)
    sunk = replace(plain, sink=True)
    two = compare_with(sunk if back else plain, "sink", not back)
    lost = 1 - trace_of(sunk).probabilities[0, HEAD].sum(axis=-1)
    assert changes_facts(two, "output", HEAD, QUERY).moved == pytest.approx(lost.mean())
    assert lost.mean() > 0.1


@pytest.mark.parametrize("query", range(4))
@pytest.mark.parametrize("key", range(4))
@pytest.mark.parametrize("sequence", [0, 1, 2])
def test_what_hides_a_key(sequence: int, query: int, key: int) -> None:
    """Four, three and two tokens, filled up to four."""
    texts, lengths = ("it slept well", "it slept"), (4, 3, 2)
    chosen = Scenario("we saw it there", window=1)
    masked = masked_batch(chosen, texts, ("causal", "padding", "window"))
    by = {
        "causal": key > query,
        "window": abs(query - key) > 1,
        "padding": key >= lengths[sequence],
    }
    facts = workshop_facts(masked, 1, (sequence, query, key))
    assert facts.sequence == sequence
    assert set(facts.hidden_by) == {name for name, hides in by.items() if hides}
    share = masked.trace.probabilities[sequence, 1, query, key]
    assert facts.share == (None if facts.hidden_by else share)
    assert (share == 0) == bool(facts.hidden_by)


def test_no_head_moves_most_where_there_is_one_or_none_moves() -> None:
    alone = compare_with(replace(LAYER, n_heads=1), "seed", 4)
    still = compare_with(LAYER, "residual", True)
    for two, moved in ((alone, True), (still, False)):
        facts = changes_facts(two, "output", 0, QUERY)
        assert (facts.most_in, facts.most) == (None, None)
        assert (facts.moved > 0) is moved


@pytest.mark.parametrize("pad", [0, 3])
def test_three_uses_hide_padding_and_what_comes_later(pad: int) -> None:
    traces = run_three_uses(LAYER, "one word more", pad)  # six words, and three
    n, hidden = {"encoder": (6, 6), "decoder": (3, 3), "cross": (3, 6)}, {}
    for name, (queries, keys) in n.items():
        cells = [(i, j) for i in range(queries + pad) for j in range(keys + pad)]
        gone = [c for c in cells if c[1] >= keys or (name == "decoder" and c[1] > c[0])]
        hidden[name] = (len(gone), len(cells))
        for cell in cells:
            facts = uses_facts(traces, name, HEAD, cell)
            seen = None if cell in gone else traces[name].probabilities[0, HEAD][cell]
            assert (facts.share, facts.head) == (seen, None if cell in gone else HEAD)
    assert uses_facts(traces, "cross", HEAD, (0, 0)).hidden == hidden
