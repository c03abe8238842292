"""What the pages of the steps say of a layer, against plain loops and known cases, in states that
can tell mistakes apart: groups between one and all heads, negative scales, cut features, ties.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core import HeadNorm, Projections, Rotary, attend
from attention_lab.focus import Focus
from attention_lab.masks.hiding import last_query_alone
from attention_lab.page_list import page_of
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.story.cuts import (
    explained_field,
    merge_facts,
    output_facts,
    projection_facts,
    row_of,
    split_facts,
)
from attention_lab.story.inputs import overview_facts, token_facts
from attention_lab.story.scores import (
    mask_facts,
    mixing_facts,
    norm_facts,
    rotary_facts,
    scale_facts,
    score_facts,
    softmax_facts,
    temperature_facts,
)

X = np.random.default_rng(3).normal(size=(5, 12))
FOCUS = Focus(2, 4, 1, 3)
GROUPED = attend(X, Projections.random(12, 6, n_kv_heads=2, seed=1, bias=True), scale=-0.5)
MODERN = attend(
    X,
    Projections.random(12, 6, n_kv_heads=2, seed=1),
    rotary=Rotary(),
    head_norm=HeadNorm(np.array([2.0, 0.5]), np.array([1.0, 3.0])),
    sink=[0.5, -1.0, 2.0, 0.0, 1.0, 0.3],
    causal=True,
)


def test_the_overview_counts_what_the_mask_hides_and_which_biases_are_added() -> None:
    found = overview_facts(GROUPED, FOCUS)
    dot = sum(
        float(a * b)
        for a, b in zip(GROUPED.queries[0, 4, 4:6], GROUPED.keys[0, 1, 0:2], strict=True)
    )
    assert found.score == pytest.approx(dot)
    assert (found.scale, found.n_hidden, found.n_cells) == (-0.5, 0, 25)
    assert found.biases == ("b_q", "b_k", "b_v")
    causal = overview_facts(MODERN, FOCUS)
    assert (causal.n_hidden, causal.biases) == (10, ())


@pytest.mark.parametrize(
    ("choices", "origin", "pieces_of"),
    [
        ({}, "words", ""),
        ({"weights": "by hand", "d_model": 8, "n_heads": 2}, "by hand", ""),
        ({"weights": "language model", "layer": 0}, "start", "language model"),
        ({"weights": "language model", "layer": 2}, "stream", "language model"),
    ],
)
def test_tokens_know_where_their_numbers_come_from(
    choices: dict[str, object], origin: str, pieces_of: str
) -> None:
    scenario = Scenario("we like tea", **choices)  # type: ignore[arg-type]
    trace = trace_of(scenario)
    found = token_facts(scenario, trace, trace, 1, 0)
    assert (found.origin, found.pieces_of, found.is_edited) == (origin, pieces_of, False)
    assert found.is_sum == (origin in ("words", "by hand"))


def test_an_edited_number_is_no_sum_of_word_and_position() -> None:
    scenario = Scenario("we like tea", edits="x_1_0_7.5")
    trace, unedited = trace_of(scenario), trace_of(replace(scenario, edits=""))
    sums = [token_facts(scenario, trace, unedited, 1, feature).is_sum for feature in (0, 1)]
    assert sums == [False, True]
    assert token_facts(scenario, trace, unedited, 1, 0).is_edited


@pytest.mark.parametrize(
    ("field", "block", "row"),
    [("queries", (4, 6), 4), ("keys", (0, 2), 1), ("values", (0, 2), 1)],
)
def test_a_head_reads_its_block(field: str, block: tuple[int, int], row: int) -> None:
    """Head 2 of 6 reads with the first of two groups."""
    found = projection_facts(GROUPED, field, FOCUS)
    assert (found.block.start, found.block.stop, found.row) == (*block, row)
    assert (found.feature, found.column) == (1, block[1] - 1)  # of two features, not four
    assert (found.n_read, found.n_features, found.copies, found.has_bias) == (12, 12, False, True)
    copied = projection_facts(attend(X, Projections.weightless(12, 3)), field, FOCUS)
    assert (copied.n_read, copied.copies, copied.has_bias) == (4, True, False)


def test_the_row_of_a_field_is_that_of_who_asks_or_of_who_is_asked() -> None:
    rows = {
        name: row_of(name, FOCUS)
        for kind in ("{}", "{}_heads", "normed_{}", "turned_{}")
        for name in map(kind.format, ("queries", "query", "keys", "key", "values", "value"))
    }
    assert {name for name, row in rows.items() if row == 4} == {n for n in rows if "quer" in n}


@pytest.mark.parametrize(
    ("width", "n_tokens", "narrow"), [(4, 5, False), (3, 5, True), (1, 1, False), (4, 3, False)]
)
def test_a_head_of_a_width_of_n_minus_1_makes_every_pattern(
    width: int, n_tokens: int, narrow: bool
) -> None:
    """Scores up to a number for each row: those of a pattern have rank n − 1 at most, which
    queries and keys of that width have, and narrower ones in general have not.
    """
    x = np.random.default_rng(0).normal(size=(n_tokens, 6))
    trace = attend(x, Projections.random(6, 2, d_k=width, d_v=3))
    found = split_facts(trace, "keys", Focus(1, 0, 0, 0))
    assert (found.is_narrow, found.rank) == (narrow, min(width, n_tokens))
    shares = np.random.default_rng(1).dirichlet(np.ones(n_tokens), n_tokens)
    logs = np.log(shares)
    wanted = np.linalg.matrix_rank(logs - logs[:, :1])
    assert wanted == found.enough
    assert (width < wanted) == narrow


def test_the_split_counts_numbers_of_other_tokens() -> None:
    found = split_facts(GROUPED, "keys", FOCUS)
    flat = np.arange(5 * 4).reshape(5, 4)  # two groups of two features
    right, wrong = flat.reshape(5, 2, 2).swapaxes(0, 1), flat.reshape(2, 5, 2)
    assert found.shape == (1, 2, 5, 2)
    assert found.n_foreign == int((right // 4 != wrong // 4).sum())
    assert found.n_cells == 20
    assert found.n_weights == GROUPED.projections.n_weights
    assert found.places.fused == (0, 1, 2 * 2 + 1)


@pytest.mark.parametrize(
    ("n_tokens", "landings"),
    [(5, {"right", "other token"}), (12, {"right", "other head", "other token"})],
)
def test_the_merge_says_what_is_wrong_where_a_number_lands(
    n_tokens: int, landings: set[str]
) -> None:
    trace = attend(np.random.default_rng(0).normal(size=(n_tokens, 12)), Projections.random(12, 3))
    numbers = np.arange(n_tokens * 12).reshape(3, n_tokens, 4)  # head, token, feature
    right = numbers.swapaxes(0, 1).reshape(n_tokens, 12).tolist()
    wrong = numbers.reshape(n_tokens, 12).tolist()
    lands = set()
    for head, query, feature in np.ndindex(3, n_tokens, 4):
        found = merge_facts(trace, Focus(head, query, 0, feature))
        number = int(numbers[head, query, feature])
        assert right[found.place[0]][found.place[1]] == number
        assert wrong[found.wrong_place[0]][found.wrong_place[1]] == number
        same_row, same = found.place[0] == found.wrong_place[0], found.place == found.wrong_place
        assert found.lands == ("right" if same else "other head" if same_row else "other token")
        lands.add(found.lands)
    assert lands == landings
    assert (found.has_swap, found.is_cut) == (True, False)
    cut = merge_facts(trace, Focus(0, 0, 0, 9))
    assert (cut.feature, cut.is_cut) == (3, True)
    assert not merge_facts(attend(X, Projections.random(12, 1)), FOCUS).has_swap


@pytest.mark.parametrize(
    ("n_heads", "d_v", "n_kv_heads", "compared"),
    [(3, 4, None, "more"), (3, 12, None, "fewer"), (2, 6, None, "as many"), (4, 6, 2, "more")],
)
def test_a_layer_without_w_o_stores_more_or_fewer_numbers(
    n_heads: int, d_v: int, n_kv_heads: int | None, compared: str
) -> None:
    weights = Projections.random(12, n_heads, d_v=d_v, n_kv_heads=n_kv_heads)
    found = output_facts(attend(X, weights, residual=True), 1, 5)
    apart = 12 * (n_kv_heads or n_heads) * d_v + n_heads * d_v * 12
    assert (found.stored.products, found.stored.apart) == (n_heads * 144, apart)
    assert found.stored.compared == compared
    assert max(found.gap, found.absorbed_gap) <= found.rounding
    assert (found.n_mixed, found.residual, found.fits, found.has_bias) == (
        n_heads,
        True,
        True,
        False,
    )
    assert (found.block.start, found.block.stop) == (d_v, 2 * d_v)


def test_a_pair_in_all_heads_is_counted_and_added_up() -> None:
    found = score_facts(GROUPED, 4, 1)
    assert (found.n_full, found.n_hadamard) == (6 * 6 * 2, 6 * 2)
    assert found.total == pytest.approx(sum(GROUPED.scores[0, h, 4, 1] for h in range(6)))


def test_one_wide_head_has_the_sum_of_the_scores_where_nothing_is_done_head_by_head() -> None:
    plain, norm = Projections.random(12, 6), HeadNorm()
    wide = replace(plain, n_heads=1, n_kv_heads=1)
    for options in ({}, {"head_norm": norm}, {"rotary": Rotary()}):
        found = score_facts(attend(X, plain, **options), 4, 1)  # type: ignore[arg-type]
        one = attend(X, wide, **options).scores[0, 0, 4, 1]  # type: ignore[arg-type]
        assert found.is_one_wide == (abs(found.total - one) < 1e-9)
    assert not score_facts(GROUPED, 4, 1).is_one_wide


def test_sums_are_1_with_every_scale() -> None:
    assert scale_facts(GROUPED, 2).sums_are_1
    assert scale_facts(GROUPED, 2).variance == pytest.approx(np.var(GROUPED.scores[0, 2]))
    assert scale_facts(attend(np.ones((3, 2)), Projections.weightless(2)), 0).variance == 0


def test_the_keys_that_are_seen_are_those_of_the_picture() -> None:
    chosen = Scenario("we like green tea", d_model=6, n_heads=2)
    shown = replace(chosen, mask="causal")
    found = mask_facts(chosen, shown, trace_of(shown), Focus(1, 2, 0, 0), 1)
    assert (found.chosen, found.is_example) == ("none", True)
    seen = found.seen
    assert (seen.n_seen, seen.n_keys, seen.n_hidden, seen.n_cells) == (3, 4, 6, 16)
    assert (found.is_empty, found.in_batch) == (False, False)
    bare = mask_facts(chosen, chosen, trace_of(chosen), Focus(1, 2, 0, 0), 3)
    assert (bare.is_example, bare.seen.n_seen) == (False, 4)
    assert (bare.is_empty, bare.in_batch) == (True, True)


def test_the_newest_token_alone_is_the_last_one_of_a_causal_run() -> None:
    """As with a KV cache: it keeps its position, its norm, and the sink; the mask from the top left
    leaves it the first key alone.
    """
    for layer in (GROUPED, MODERN):
        found = last_query_alone(layer)
        assert found.bottom_right < 1e-12 < 0.05 < found.top_left
    p, whole = MODERN.projections, MODERN.output[0, -1]
    share = 1 / (
        1 + np.exp(np.array([0.5, -1.0, 2.0, 0.0, 1.0, 0.3]) - MODERN.scaled_scores[0, :, 4, 0])
    )
    first = np.concatenate([share[h] * MODERN.value_heads[0, h // 3, 0] for h in range(6)])
    assert p.w_o is not None
    expected = float(np.abs(first @ p.w_o - whole).max())
    assert last_query_alone(MODERN).top_left == pytest.approx(expected)


def test_a_row_with_a_sink_is_no_average() -> None:
    with_sink, without = softmax_facts(MODERN, 2, 4), softmax_facts(GROUPED, 2, 4)
    assert (with_sink.has_sink, without.has_sink, with_sink.n_empty) == (True, False, 0)
    assert with_sink.row.total == pytest.approx(float(MODERN.probabilities[0, 2, 4].sum()))
    found, plain = mixing_facts(MODERN, FOCUS), mixing_facts(GROUPED, FOCUS)
    assert (found.is_average, plain.is_average) == (False, True)
    assert (found.feature, found.is_cut) == (1, True)
    first, output = MODERN.value_heads[0, 0, 0], MODERN.head_outputs[0, 2, 0]  # its only part
    assert (np.abs(output) < np.abs(first)).all()


def test_a_temperature_leaves_the_share_of_the_key_and_the_effective_tokens() -> None:
    found = temperature_facts(MODERN, FOCUS, 0.5)
    logits = [*(MODERN.masked_scores[0, 2, 4] / 0.5), 2.0 / 0.5]
    total = sum(math.exp(one) for one in logits)
    shares = [math.exp(one) / total for one in logits[:-1]]
    assert found.share == pytest.approx((MODERN.probabilities[0, 2, 4, 1], shares[1]))
    assert found.shares[4].tolist() == pytest.approx(shares)


@pytest.mark.parametrize("scale", [None, 3.0, -0.25])
def test_qk_norm_bounds_scores_by_the_scale_and_both_lengths(scale: float | None) -> None:
    """Also the most that a share can be: one key at the bound, all others at its negative."""
    gains = HeadNorm(np.array([2.0, 0.5]), np.array([1.0, 3.0]))
    trace = attend(X, Projections.random(12, 6, n_kv_heads=2), head_norm=gains, scale=scale)
    for head in range(6):
        found = norm_facts(trace, head, 2)
        queries, keys = trace.normed_queries[0, head], trace.normed_keys[0, head // 3]  # type: ignore[index]
        lengths = [max(math.hypot(*row) for row in rows.tolist()) for rows in (queries, keys)]
        assert [found.query_length, found.key_length] == pytest.approx(lengths)
        factor = 1 / math.sqrt(2) if scale is None else abs(scale)
        assert found.most == pytest.approx(factor * lengths[0] * lengths[1])
        assert found.largest <= found.most * (1 + 1e-12)
        most = math.exp(found.most) / (math.exp(found.most) + 4 * math.exp(-found.most))
        assert found.share == pytest.approx(most)
        assert trace.probabilities[0, head].max() <= most
    biased = attend(X, trace.projections, head_norm=gains, bias=np.ones(5))
    assert norm_facts(biased, 0, 0).share is None


def test_who_sees_fewer_keys_can_give_one_of_them_more() -> None:
    """The first query of a causal layer gives all to itself, and a query without keys nothing."""
    weights, norm = Projections.random(12, 6, n_kv_heads=2), HeadNorm(0.5)
    for options in ({}, {"softcap": 0.25}, {"sink": 1.0}):
        trace = attend(X, weights, head_norm=norm, causal=True, **options)  # type: ignore[arg-type]
        for query in range(5):
            found = norm_facts(trace, 3, query)
            assert (found.n_seen, found.is_capped) == (query + 1, "softcap" in options)
            most = math.exp(found.most) / (math.exp(found.most) + query * math.exp(-found.most))
            assert found.share == pytest.approx(most)
            assert trace.probabilities[0, 3, query].max() <= most * (1 + 1e-12)
            assert found.largest <= found.most
    nothing = attend(X, weights, head_norm=norm, mask=np.zeros((5, 5), bool))
    assert (norm_facts(nothing, 3, 1).n_seen, norm_facts(nothing, 3, 1).share) == (0, None)


def test_turns_that_begin_later_move_no_score_and_positions_in_the_inputs_do() -> None:
    scenario = Scenario("we like green tea", d_model=8, n_heads=2, rotary="neighbours")
    trace = sequence_of(scenario, 0)
    found = rotary_facts(scenario, trace, "turned_keys", (0, 1, 2, 3))
    assert found.shift_gap < 1e-9
    assert (found.pair.position, found.has_codes) == (2, True)
    assert not rotary_facts(
        replace(scenario, positions=False), trace, "turned_keys", (0, 1, 2, 3)
    ).has_codes


def test_the_cell_in_focus_is_that_of_the_group_of_its_head() -> None:
    focus = Focus(head=4, query=3, key=1, feature=1)  # in the second of two groups
    expected = {
        "inputs": (0, 3, 1),
        "queries": (0, 3, 9),
        "keys": (0, 1, 3),
        "query_heads": (0, 4, 3, 1),
        "key_heads": (0, 1, 1, 1),
        "scores": (0, 4, 3, 1),
        "head_outputs": (0, 4, 3, 1),
        "merged": (0, 3, 9),
    }
    assert {field: focus.index(GROUPED, field) for field in expected} == expected


def test_in_the_place_of_values_queries_are_normalised_and_turned() -> None:
    explained = {
        (step, which): explained_field(page_of(step), which)
        for step in ("split", "qk-norm", "rotary")
        for which in ("queries", "keys", "values")
    }
    assert explained == {
        ("split", "queries"): "query_heads",
        ("split", "keys"): "key_heads",
        ("split", "values"): "value_heads",
        ("qk-norm", "queries"): "normed_queries",
        ("qk-norm", "keys"): "normed_keys",
        ("qk-norm", "values"): "normed_queries",
        ("rotary", "queries"): "turned_queries",
        ("rotary", "keys"): "turned_keys",
        ("rotary", "values"): "turned_queries",
    }
