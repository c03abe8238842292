"""Today's variants on tokens without weights: what is proved holds, what ends it does, and the
delta rule is the same in its three forms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import HeadNorm, Projections, Rotary, SettingsError, attend
from attention_core.positions import turn
from attention_lab.diagonal.modern.delta_rule import (
    DeltaRule,
    closed_form,
    corrections,
    delta_weights,
    kept,
    unit_vectors,
)
from attention_lab.diagonal.modern.statements import STATEMENTS
from attention_lab.diagonal.modern.variants import (
    VARIANTS,
    Looks,
    Variant,
    count_rows,
    drawn_vectors,
    find_variant,
    weightless_vectors,
)
from attention_lab.diagonal.settings import DiagonalSettings, tokens_of_settings

SENTENCES = (DiagonalSettings().text, "the cat saw the cat and the cat saw the dog")
X = {text: tokens_of_settings(DiagonalSettings(text=text))[1] for text in SENTENCES}
TOKENS = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1))


def drawn(sizes: tuple[int, int, int], scale: float = 1.0) -> np.ndarray:
    """Normal tokens."""
    n_tokens, n_features, seed = sizes
    return scale * np.random.default_rng(seed).normal(size=(n_tokens, n_features))


def looks(key: str, x: Any, strength: float | None = None) -> Any:
    """Where tokens look in a variant without weights."""
    one, vectors = find_variant(key), weightless_vectors(np.asarray(x, float))
    return one.run(vectors, one.usual if strength is None else strength)


@given(TOKENS, st.data())
@settings(max_examples=30)
def test_every_statement_holds_for_any_tokens(
    sizes: tuple[int, int, int], data: st.DataObject
) -> None:
    x = drawn(sizes, data.draw(st.sampled_from([0.1, 1.0, 3.0])))
    x[data.draw(st.integers(0, len(x) - 1))] = x[0]
    for one in STATEMENTS:
        if one.number == "M10":
            continue  # about matrices that are drawn
        for strength in find_variant(one.variant).choices or (0.0,):
            checked = one.check(weightless_vectors(x), strength)
            assert checked.holds, (one.number, strength, checked)


@pytest.mark.parametrize("text", SENTENCES)
def test_with_queries_that_are_not_keys_tokens_look_elsewhere(text: str) -> None:
    (last,) = [one for one in STATEMENTS if one.number == "M10"]
    assert last.check(weightless_vectors(X[text]), 0.0).holds
    vectors = drawn_vectors(X[text])
    for one in VARIANTS:
        if one.key != "window":
            assert one.run(vectors, one.usual).rows_on_diagonal < len(X[text])
    for key in ("linear", "delta"):
        tied = vectors.x @ vectors.projections.w_q
        assert looks(key, tied).rows_on_diagonal == len(X[text])


def test_the_measures_of_the_two_sentences() -> None:
    first, second = ({one.key: looks(one.key, X[text]) for one in VARIANTS} for text in SENTENCES)
    own = {"plain": 0.652, "alibi": 0.847, "norm": 0.745, "softcap": 0.551, "sink": 0.401}
    own |= {"window": 0.846, "linear": 1.0, "delta": 0.75}
    for key, share in own.items():
        rows = 12 if key in ("norm", "linear", "delta") else 11
        assert (first[key].rows_on_diagonal, first[key].own_weight) == (
            rows,
            pytest.approx(share, abs=5e-4),
        )
    assert first["rotary"].rows_on_diagonal == 11
    assert (second["plain"].ties, second["rotary"].ties) == (9, 0)
    assert second["plain"].own_weight == pytest.approx(0.334, abs=5e-4)
    assert second["rotary"].own_weight > second["plain"].own_weight


def test_what_ends_each_statement() -> None:
    one = np.array([[[[1.0, 0.0]]]])
    late = turn(one, Rotary()) @ turn(one, Rotary(start=1)).swapaxes(-1, -2)
    assert late.item() == pytest.approx(np.cos(1))
    assert looks("alibi", [[1], [2], [3]], 0.5).scores[0].tolist() == [1, 1.5, 2]
    gains = HeadNorm([2.0, 0.5], [2.0, 0.5], epsilon=1e-12)
    scores = attend([[0.6, 0.8], [1.0, 0.0]], Projections.weightless(2), head_norm=gains).scores
    assert (scores[0, 0, 0] / 2).tolist() == pytest.approx([1.6, 2.4])  # RMS 1 is length √2
    capped = looks("softcap", [[0], [1], [3]], 1.0).scores
    assert np.linalg.eigvalsh(capped)[0] == pytest.approx(-0.1214, abs=1e-4)
    assert np.trace(looks("sink", [[1], [2], [3]], 10.0).weights) == pytest.approx(0.2678, abs=1e-4)
    assert looks("window", [[1], [2]], 1.0).weights.argmax(axis=-1).tolist() == [1, 1]


@given(TOKENS, st.floats(0, 1), st.floats(0, 1))
def test_the_three_forms_of_the_delta_rule(
    sizes: tuple[int, int, int], beta: float, decay: float
) -> None:
    n_tokens, width, seed = sizes
    rng, rule = np.random.default_rng(seed), DeltaRule(beta, decay)
    queries = rng.normal(size=(n_tokens, width))
    keys, values = unit_vectors(drawn(sizes)), rng.normal(size=(n_tokens, 5))
    stepwise = np.array([step.output for step in corrections(queries, keys, values, rule)])
    np.testing.assert_allclose(delta_weights(queries, keys, rule) @ values, stepwise, atol=1e-11)
    own = delta_weights(keys, keys, rule)
    np.testing.assert_allclose(own, closed_form(keys, rule), atol=1e-12)
    np.testing.assert_allclose(np.diag(own), beta, atol=1e-12)
    if beta == 1:
        np.testing.assert_allclose(own, np.eye(n_tokens), atol=1e-12)


def test_the_delta_rule_by_hand() -> None:
    """The second token asks with the same key: it finds half of the first value and corrects it."""
    keys, values = np.array([[1.0], [1.0]]), np.array([[8.0], [4.0]])
    first, second = corrections(keys, keys, values, DeltaRule(0.5))
    assert (first.read.item(), first.change.item(), first.after.item()) == (0, 8, 4)
    assert (second.read.item(), second.change.item(), second.output.item()) == (4, 0, 4)
    faded = corrections(keys, keys, values, DeltaRule(0.5, 0.25))[1]
    assert (faded.before.item(), faded.change.item(), faded.output.item()) == (1, 3, 2.5)
    assert kept(2, 0.0).tolist() == [[1, 0], [0, 1]]


def test_what_the_delta_rule_refuses() -> None:
    for wrong in ({"beta": 1.5}, {"beta": "1"}, {"decay": -0.1}, {"decay": float("nan")}):
        with pytest.raises(SettingsError, match=next(iter(wrong))):
            DeltaRule(**wrong)
    with pytest.raises(SettingsError, match="length 1"):
        delta_weights(np.ones((2, 2)), np.ones((2, 2)), DeltaRule())
    with pytest.raises(SettingsError, match="range of float64"):
        unit_vectors(np.full((1, 2), 1e300))


def test_every_statement_is_about_a_variant_and_numbered_in_order() -> None:
    assert [one.number for one in STATEMENTS] == [f"M{n}" for n in range(1, len(STATEMENTS) + 1)]
    assert {one.variant for one in STATEMENTS} == {one.key for one in VARIANTS} - {"plain"}
    assert all(one.usual in one.choices for one in VARIANTS if one.strength)


def test_rotary_positions_begin_with_the_base_of_the_engine() -> None:
    (rotary,) = [one for one in VARIANTS if one.key == "rotary"]
    assert rotary.usual == Rotary().base


def test_what_is_false_stays_false_with_turned_tokens() -> None:
    """Tokens of one slow pair, which turn by a thousandth: the pair bound breaks for them as it
    does without positions, counted in plain loops.
    """
    x = np.array([[0.0, 0, 3, 0], [0, 0, 2, 0], [0, 0, 1, 0]])
    scores = [
        [a * b * np.cos(0.001 * (i - j)) / 2 for j, b in enumerate((3, 2, 1))]
        for i, a in enumerate((3, 2, 1))
    ]
    shares = [[np.exp(s) / sum(map(np.exp, row)) for s in row] for row in scores]
    broken = any(
        shares[i][j] > max(shares[i][i], shares[j][j]) for i in range(3) for j in range(3) if i != j
    )
    assert broken
    assert shares[1][0] > shares[1][1]
    (first,) = [one for one in STATEMENTS if one.number == "M1"]
    numbers = list(first.check(weightless_vectors(x), 1e6).numbers.values())
    assert numbers[:2] == [0, 2]
    alike = list(first.check(weightless_vectors(np.eye(4)), 1e6).numbers.values())
    assert alike[:2] == [0, 0]


def of_rows(title: str, *largest: int) -> tuple[Variant, Looks]:
    """A variant whose rows each have their largest score in one column; −1: a tie of all."""
    scores = np.array([[float(j == k or k < 0) for j in range(3)] for k in largest])
    return replace(find_variant("plain"), title=title), Looks(scores, scores)


def test_variants_that_tie_are_all_named() -> None:
    plain, none = of_rows("plain", 0, -1, 0), of_rows("none", 1, 2, 0)
    one, two = of_rows("one", 0, 0, 0), of_rows("another", 2, 1, 1)
    found = count_rows([plain, one, none, two])
    assert (found.plain, found.ties) == (2, 1)
    assert (found.most, found.most_in) == (1, ("one", "another"))
    assert (found.fewest, found.fewest_in) == (0, ("none",))
    assert count_rows([plain, one, two]).fewest is None
