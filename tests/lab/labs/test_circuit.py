"""The small model of two layers does what an independent program finds, and its two heads make an
induction circuit.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from attention_core.checks import Array
from attention_core.errors import SettingsError, TextError
from attention_lab import repeated_letters
from attention_lab.labs.circuit import (
    LetterModel,
    LetterWeights,
    guess_at,
    key_composition,
    key_parts,
    learn_circuit,
    score_circuit,
    train_circuit,
)
from attention_lab.labs.circuit_settings import LETTERS, CircuitSettings, draw_sequences
from attention_lab.labs.training_runs import STORED_CIRCUITS, circuit_at, circuit_run, circuit_score
from attention_lab.questions import learner_questions

TWO_HEADS = CircuitSettings(n_heads=2)
ONE_LAYER = CircuitSettings(n_layers=1, n_heads=2)


def small_model(n_layers: int = 2, n_heads: int = 3, width: int = 6) -> LetterModel:
    """A model of random numbers with more heads than layers."""
    rng = np.random.default_rng(5)
    weights = {"embedding": rng.normal(size=(16, width)), "positions": rng.normal(size=(24, width))}
    weights["unembedding"] = rng.normal(size=(width, 16))
    for name in ("w_q", "w_k", "w_v", "w_o"):
        weights[name] = rng.normal(size=(n_layers, width, width))
    return LetterModel(LetterWeights(weights), n_heads)


def in_plain_loops(
    model: LetterModel, ids: list[int], off: tuple[tuple[int, int], ...] = ()
) -> tuple[list[list[float]], dict[tuple[int, int, int], list[float]]]:
    """The logits, and the shares of each layer, head and query, without the engine."""
    w, width = model.weights, model.weights["embedding"].shape[1]
    d_k, shares = width // model.n_heads, {}
    stream = [
        [float(w["embedding"][one][d] + w["positions"][t][d]) for d in range(width)]
        for t, one in enumerate(ids)
    ]

    def product(row: list[float], matrix: Array) -> list[float]:
        return [
            sum(x * float(matrix[d][f]) for d, x in enumerate(row)) for f in range(matrix.shape[1])
        ]

    for layer in range(len(w["w_q"])):
        q, k, v = (
            [product(row, w[name][layer]) for row in stream] for name in ("w_q", "w_k", "w_v")
        )
        after = []
        for t in range(len(ids)):
            merged = [0.0] * width
            for head in range(model.n_heads):
                columns = range(head * d_k, (head + 1) * d_k)
                scores = [
                    sum(q[t][c] * k[s][c] for c in columns) / math.sqrt(d_k) for s in range(t + 1)
                ]
                powers = [math.exp(one - max(scores)) for one in scores]
                row = [one / sum(powers) for one in powers]
                shares[layer, head, t] = row
                if (layer, head) not in off:
                    for c in columns:
                        merged[c] = sum(row[s] * v[s][c] for s in range(t + 1))
            added = product(merged, w["w_o"][layer])
            after.append([x + y for x, y in zip(stream[t], added, strict=True)])
        stream = after
    return [product(row, w["unembedding"]) for row in stream], shares


@pytest.mark.parametrize("off", [(), ((0, 1),), ((0, 2), (1, 0))])
def test_a_run_is_that_of_an_independent_program(off: tuple[tuple[int, int], ...]) -> None:
    model, ids = small_model(), [3, 0, 15, 3, 7, 7, 2]
    logits, shares = in_plain_loops(model, ids, off)
    run = model.without(*off).run(ids)
    np.testing.assert_allclose(run.logits, logits, atol=1e-9)
    for (layer, head, query), row in shares.items():
        found = run.traces[layer].probabilities[0, head, query]
        np.testing.assert_allclose(found[: query + 1], row, atol=1e-9)
        assert not found[query + 1 :].any()


def test_the_shipped_model_is_that_of_an_independent_program_and_reads_text_as_numbers() -> None:
    model, text = repeated_letters(), "Kdhb mafc kdhb"
    ids = [LETTERS.index(one) for one in "kdhbmafckdhb"]
    run = model.run(text)
    assert run.ids == tuple(ids)
    np.testing.assert_allclose(run.logits, in_plain_loops(model, ids)[0], atol=1e-9)
    assert run.traces[0].labels("T") == tuple("kdhbmafckdhb")
    sizes = {name: array.shape for name, array in model.weights.items()}
    assert sizes == {
        "embedding": (16, 16),
        "positions": (24, 16),
        "unembedding": (16, 16),
        **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (2, 16, 16)),
    }
    assert model.weights.w_q is model.weights["w_q"]


def test_measures_count_what_an_independent_program_counts() -> None:
    model, drawn = small_model(), draw_sequences(np.random.default_rng(999), 400)
    score = score_circuit(model)
    right, known, back, prefix = 0, 0, [], []
    for ids, period in list(zip(drawn.ids.tolist(), drawn.periods.tolist(), strict=True))[:3]:
        assert all(ids[t] == ids[t - period] for t in range(period, 24))
        assert 5 <= period <= 12
    for sequence, period in zip(drawn.ids, drawn.periods, strict=True):
        run = model.run(sequence.tolist())
        back += [run.traces[1].probabilities[0, 2, t, t - 1] for t in range(1, 24)]
        for t in range(int(period), 23):
            known += 1
            right += int(run.logits[t].argmax()) == sequence[t + 1]
            prefix.append(run.traces[1].probabilities[0, 2, t, t - period + 1])
    assert score.right == pytest.approx(right / known, abs=1e-12)
    assert score.one_back[1, 2] == pytest.approx(np.mean(back), abs=1e-12)
    assert score.prefix[1, 2] == pytest.approx(np.mean(prefix), abs=1e-12)


def test_two_layers_of_one_head_make_a_circuit_and_one_layer_does_not() -> None:
    whole = circuit_score(CircuitSettings(), 1500)
    assert whole.right > 0.9
    assert circuit_score(CircuitSettings(), 1500, ((0, 0),)).right < 0.25
    (answer,) = (
        one.look for one in learner_questions() if one.sentence.startswith("Why several l")
    )
    shares = [circuit_score(CircuitSettings(), 1500, off).right for off in ((), ((0, 0),))]
    assert [f"{100 * one:.0f} %" in answer for one in shares] == [True, True]
    assert circuit_score(CircuitSettings(), 1500, ((1, 0),)).right < 0.1
    assert whole.one_back[0, 0] > 0.35 > 0.1 > whole.one_back[1, 0]
    assert whole.prefix[1, 0] > 0.4 > 0.1 > whole.prefix[0, 0]
    assert circuit_score(TWO_HEADS, 1500).right > 0.9
    assert circuit_score(ONE_LAYER, 1500).right < 0.5
    counts = [settings.n_parameters for settings in STORED_CIRCUITS.values()]
    sizes = [
        sum(one.size for one in circuit_at(s)[1].weights.values()) for s in STORED_CIRCUITS.values()
    ]
    assert counts == sizes == [2944, 9984, 5888]


def test_the_stored_run_is_that_of_the_training() -> None:
    run, trained = circuit_run(CircuitSettings()), train_circuit(CircuitSettings())
    points = {one.step: one for one, _ in zip(trained, range(11), strict=False)}
    for step in (0, 100):
        for name, array in circuit_at(CircuitSettings(), step / 15)[1].weights.items():
            np.testing.assert_allclose(points[step].weights[name], array, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(
        run.losses[:11], [(at, one.loss) for at, one in points.items()], 1e-5
    )
    assert [step for step, _ in run.points] == list(range(0, 1501, 100))
    assert run.done


def test_the_gradients_are_those_of_finite_differences() -> None:
    settings = CircuitSettings(n_heads=2, seed=3)
    first = next(train_circuit(settings))
    state = np.random.default_rng(8).bit_generator.state

    def loss(weights: dict[str, Array]) -> float:
        rng = np.random.default_rng()
        rng.bit_generator.state = state
        return learn_circuit(settings, weights, rng)[0]

    rng = np.random.default_rng()
    rng.bit_generator.state = state
    _, gradients = learn_circuit(settings, first.weights, rng)
    for name, at in {
        "embedding": (4, 9),
        "positions": (20, 3),
        "unembedding": (31, 2),
        "w_k": (1, 5, 20),
        "w_o": (0, 17, 1),
    }.items():
        moved = [{one: array.copy() for one, array in first.weights.items()} for _ in range(2)]
        for sign, weights in zip((1, -1), moved, strict=True):
            weights[name][at] += sign * 1e-5
        slope = (loss(moved[0]) - loss(moved[1])) / 2e-5
        assert gradients[name][at] == pytest.approx(slope, rel=1e-4, abs=1e-8)


def test_what_makes_a_key_adds_up_to_the_score() -> None:
    model = small_model()
    run = model.run("abcabca")
    for layer, head, query, key in ((1, 2, 6, 3), (1, 0, 4, 4), (0, 1, 5, 2)):
        parts = key_parts(model, run, layer, head, query, key)
        score = run.traces[layer].scaled_scores[0, head, query, key]
        assert sum(parts.values()) == pytest.approx(score, abs=1e-12)
        assert len(parts) == 2 + 3 * layer
    alone = model.without((0, 0), (0, 1), (0, 2))
    parts = key_parts(alone, alone.run("abcabca"), 1, 2, 6, 3)
    assert list(parts.values())[2:] == [0, 0, 0]


def test_composition_is_the_formula_of_the_paper() -> None:
    model = small_model()
    w, found = model.weights, key_composition(model)
    for later in range(3):
        for earlier in range(3):
            mine, other = slice(2 * later, 2 * later + 2), slice(2 * earlier, 2 * earlier + 2)
            asks = w["w_q"][1][:, mine] @ w["w_k"][1][:, mine].T
            gives = w["w_v"][0][:, other] @ w["w_o"][0][other]
            share = np.sqrt((asks @ gives.T) ** 2).shape and math.sqrt(
                ((asks @ gives.T) ** 2).sum()
            )
            share /= math.sqrt((asks**2).sum() * (gives**2).sum())
            assert found[later, earlier] == pytest.approx(share, rel=1e-12)


def test_a_guess_names_what_came_after_the_letter_last_time() -> None:
    run = repeated_letters().run("kdhbmafckdhb")
    last, new = guess_at(run, 11, 0), guess_at(run, 6, 0)
    assert (last.letter, last.last, last.came, last.said, last.is_right) == ("b", 3, "m", "m", True)
    assert last.share == last.of_came > 0.99
    assert (last.key, last.key_share > 0.9) == (4, True)
    assert (new.letter, new.last, new.came, new.of_came, new.is_right) == ("f", None, "", 0, False)
    nearest = guess_at(repeated_letters().run("abacada"), 4, 0)  # "a" stood at 0 and at 2
    assert (nearest.letter, nearest.last, nearest.came) == ("a", 2, "c")
    off = guess_at(repeated_letters().without((1, 0)).run("kdhbmafckdhb"), 11, 0)
    assert (off.came, off.is_right) == ("m", False)
    assert off.of_came < off.share


@pytest.mark.parametrize("letters", ["", "abq", [0, 16], [-1], "a" * 25, [1.5], None])
def test_letters_that_cannot_be_are_refused(letters: object) -> None:
    with pytest.raises((SettingsError, TextError)):
        repeated_letters().run(letters)  # type: ignore[arg-type]


@pytest.mark.parametrize("head", [(2, 0), (0, 1), (-1, 0)])
def test_a_head_that_is_not_there_cannot_be_switched_off(head: tuple[int, int]) -> None:
    with pytest.raises(SettingsError):
        repeated_letters().without(head)
