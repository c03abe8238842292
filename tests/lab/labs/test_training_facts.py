"""What *Training* and *Two layers* say, against plain loops, known cases and other programs."""

import math

import numpy as np
import pytest

from attention_core.formulas import softmax
from attention_lab.labs.circuit import LetterModel
from attention_lab.labs.circuit_settings import LETTERS, CircuitSettings, draw_sequences
from attention_lab.labs.tasks import unseen_examples
from attention_lab.labs.training_facts import (
    CircuitFacts,
    circuit_facts,
    models_facts,
    stored_facts,
    training_facts,
    why_heads,
)
from attention_lab.labs.training_runs import (
    STORED_SETTINGS,
    circuit_at,
    circuit_run,
    layer_run,
    stored_runs,
)
from attention_lab.labs.training_settings import TrainingSettings

ONE, TWO, FLAT = CircuitSettings(), CircuitSettings(n_heads=2), CircuitSettings(1, 2)


def number(said: str) -> float:
    return float(said.replace("−", "-"))


def test_why_there_are_several_heads() -> None:
    examples, errors = unseen_examples("neighbours"), []
    for name, run in stored_runs().items():
        p = run.newest[1]
        assert STORED_SETTINGS[name] == run.settings
        width_k, width_v = p.d_k, p.d_v
        output = np.zeros((*examples.inputs.shape[:2], p.d_out))
        for head in range(p.n_heads):
            k, v = (slice(head * one, (head + 1) * one) for one in (width_k, width_v))
            q_BTK, k_BTK = (examples.inputs @ w[:, k] for w in (p.w_q, p.w_k))
            shares = softmax(q_BTK @ k_BTK.swapaxes(1, 2) * run.settings.scale)
            assert p.w_o is not None
            output += shares @ (examples.inputs @ p.w_v[:, v]) @ p.w_o[v]
        targets = examples.targets.reshape(output.shape)
        if p.b_o is not None:
            output += p.b_o
        errors.append(((output - targets) ** 2).mean() / targets.var())
    facts = why_heads()
    assert [facts.one, facts.wide, facts.two] == pytest.approx(errors, rel=1e-3)
    assert [str(one) for one in (facts.one, facts.two)] == [f"{errors[0]:.4f}", f"{errors[2]:.4f}"]
    # The last run is that of two heads, whose second one is left in the loop.
    before, after = (
        np.mean([shares[:, t, (t + offset) % 12] for t in range(12)]) for offset in (-1, 1)
    )
    second = facts.heads[1]
    assert second.share == pytest.approx(max(before, after))
    assert second.side == ("before" if before > after else "after")
    assert {one.side for one in facts.heads} == {"before", "after"}
    assert [one.head for one in facts.heads] == [0, 1]


@pytest.mark.parametrize(("percent", "step"), [(0, 0), (34, 30), (100, 100)])
def test_a_run_is_told_as_far_as_it_is_shown(percent: float, step: int) -> None:
    run = next(one for one in stored_runs().values() if one.settings.n_heads == 2)
    last = run.settings.last_step
    facts = training_facts(run, percent)
    assert (facts.step, facts.trained, facts.last) == (step * last // 100, last, last)
    assert facts.why == why_heads()
    first, end = (training_facts(run, one).score for one in (0, 100))
    assert first > 0.9 > 0.01 > end
    assert str(end) == f"{end:.4f}"
    assert facts.best == 0.0


def test_sizes_and_scores_of_a_run() -> None:
    settings = TrainingSettings("letters", n_heads=3, batch=7, seed=5)
    facts = training_facts(layer_run(settings), 100)
    d_k, d_v = settings.widths
    inputs = unseen_examples("letters").inputs
    learnt = 3 * (inputs.shape[2] * (2 * d_k + d_v) + d_v * settings.training_task.d_out)
    assert facts.numbers == learnt + settings.training_task.d_out
    assert (facts.tokens, facts.features) == inputs.shape[1:]
    assert (facts.heads, facts.d_k, facts.d_v, facts.batch) == (3, d_k, d_v, 7)
    assert (facts.step, facts.trained, facts.why, facts.by_accuracy) == (0, 0, None, True)
    assert f"{facts.best}" == "100.0 %"  # two letters, three heads
    assert str(facts.score).endswith(" %")


def test_the_models_of_a_task_side_by_side() -> None:
    runs = stored_runs()
    facts = models_facts(runs)
    assert [*facts.models] == ["weightless", *runs]
    one, wide, two = (facts.models[name] for name in runs)
    assert one.numbers is not None
    assert one.numbers < (wide.numbers or 0) == two.numbers
    assert [model.best for model in (one, wide, two)] == [0.5, 0.5, 0.0]
    assert (facts.wide, facts.by_accuracy, facts.seed) == (True, False, 0)
    assert all(model.loss is None for model in facts.models.values())
    assert facts.models["weightless"].numbers is None
    without = models_facts({name: run for name, run in runs.items() if name == "2 heads"})
    assert (without.wide, without.models["2 heads"]) == (False, two)


def told(
    settings: CircuitSettings, text: str, place: int, *off: tuple[int, int], percent: float = 100
) -> CircuitFacts:
    step, model = circuit_at(settings, percent)
    model = model.without(*off)
    return circuit_facts(circuit_run(settings), step, model, model.run(text), place)


def probabilities(model: LetterModel, text: str) -> list[float]:
    logits = model.run(text).logits[-1]
    powers = [math.exp(one - max(logits)) for one in logits]
    return [one / sum(powers) for one in powers]


@pytest.mark.parametrize(
    ("settings", "text", "off", "known", "last", "came"),
    [
        (ONE, "abcdeabc", (), "right", 2, "d"),
        (ONE, "abcdeabc", ((0, 0),), "wrong", 2, "d"),
        (FLAT, "abcab", (), "wrong", 1, "c"),
        (TWO, "abcde", (), "new", None, ""),
        (TWO, "aaab", (), "new", None, ""),
        (ONE, "a", (), "new", None, ""),
        (FLAT, "abacad", (), "new", None, ""),
        (FLAT, "abaca", (), "right", 2, "c"),  # the nearest earlier one counts
    ],
)
def test_what_the_model_says_and_what_can_be_known(
    settings: CircuitSettings,
    text: str,
    off: tuple[tuple[int, int], ...],
    known: str,
    last: int | None,
    came: str,
) -> None:
    facts = told(settings, text + "p" * (settings is ONE), len(text) - 1, *off)
    shares = probabilities(circuit_at(settings)[1].without(*off), text)
    best = shares.index(max(shares))
    assert (facts.letter, facts.place, facts.said) == (text[-1], len(text) - 1, LETTERS[best])
    assert facts.share == pytest.approx(shares[best])
    assert (facts.known, facts.last, facts.came) == (known, last, came)
    of_came = pytest.approx(shares[LETTERS.index(came)]) if known == "wrong" else None
    assert facts.of_came == of_came


def in_loops(model: LetterModel) -> tuple[float, np.ndarray, np.ndarray]:
    """Right guesses, and what each head of the first and last layer reads, place by place."""
    drawn = draw_sequences(np.random.default_rng(999), 400)
    traces, logits = model.forward(drawn.ids)
    first, last = (one.probabilities for one in (traces[0], traces[-1]))
    hits, asked, back, after = 0, 0, np.zeros(model.n_heads), np.zeros(model.n_heads)
    for n, (ids, period) in enumerate(zip(drawn.ids, drawn.periods, strict=True)):
        for place in range(1, 24):
            back += first[n, :, place, place - 1] / (400 * 23)
            if period <= place < 23:
                hits += int(logits[n, place].argmax() == ids[place + 1])
                after += last[n, :, place, place - period + 1]
                asked += 1
    return hits / asked, back, after / asked


@pytest.mark.parametrize("settings", [ONE, TWO, FLAT])
def test_right_guesses_and_what_each_head_is_for(settings: CircuitSettings) -> None:
    facts, model = told(settings, "abcab", 4), circuit_at(settings)[1]
    right, back, after = in_loops(model)
    assert facts.right == pytest.approx(right)
    assert facts.back == pytest.approx(back.max())
    assert facts.after == pytest.approx(after.max())
    heads = [int(back.argmax()), int(after.argmax())][-settings.n_layers :]
    assert [(one.layer, one.head) for one, _ in facts.each] == [*enumerate(heads)]
    for name, share in facts.each:
        without = in_loops(model.without((name.layer, name.head)))[0]
        assert share == pytest.approx(without)
    assert (facts.now, facts.off, facts.unseen) == (None, (), 400)
    assert (facts.last_layer, facts.step) == (settings.n_layers - 1, 1500)
    arrays = model.weights.values()
    assert facts.numbers == sum(one.size for one in arrays)


def test_heads_that_are_off_are_named_in_order_and_missed() -> None:
    facts = told(TWO, "abcab", 4, (1, 0), (0, 1))
    assert [(one.layer, one.head) for one in facts.off] == [(0, 1), (1, 0)]
    assert facts.each == ()
    model = circuit_at(TWO)[1].without((0, 1), (1, 0))
    assert facts.now == pytest.approx(in_loops(model)[0])
    assert facts.now < facts.right == told(TWO, "abcab", 4).right


def test_an_early_step_is_another_model() -> None:
    early, late = told(ONE, "abcab", 4, percent=7), told(ONE, "abcab", 4)
    assert (early.step, late.step) == (100, 1500)
    assert early.right < late.right
    assert told(ONE, "abcab", 4, percent=0).step == 0


def test_the_parts_of_a_key_add_up_in_their_digits() -> None:
    for text, place in (("kdhbmafckdhb", 11), ("abcab", 4), ("aab", 0)):
        facts = told(TWO, text, place)
        key, model = facts.key(), circuit_at(TWO)[1]
        assert key
        *parts, whole = (round(10_000 * number(one)) for one in key.parts)
        assert sum(parts) == whole
        run = model.run(text)
        head = next(one.head for one, _ in facts.each if one.layer == 1)
        row = run.traces[1].probabilities[0, head, place]
        assert (key.place, key.share) == (row.argmax(), pytest.approx(row.max()))
        score = run.traces[1].scaled_scores[0, head, place, key.place]
        assert number(key.parts[-1]) == pytest.approx(score, abs=6e-5)
        letter = model.weights["embedding"][run.ids[key.place]]
        columns = slice(16 * head, 16 * head + 16)
        query = run.traces[1].query_heads[0, head, place]
        added = float(letter @ model.layers[1].w_k[:, columns] @ query) / 4
        assert number(key.parts[0]) == pytest.approx(added, abs=1.1e-4)
        assert len(key.names) + 1 == len(key.parts)
        assert (len(key.composition), len(key.composition[0])) == (2, 2)
        assert key.unrelated == pytest.approx(1 / math.sqrt(32))
    flat = circuit_at(FLAT)[1]
    assert told(FLAT, "abcab", 4).key() is None
    assert flat.n_heads == 2


def test_the_runs_that_are_compared() -> None:
    sizes = [(one.layers, one.heads, one.numbers) for one in stored_facts()]
    assert sizes == [(2, 1, 2944), (2, 2, 9984), (1, 2, 5888)]
    one, two, flat = stored_facts()
    assert [len(shares) for shares in two.without] == [2, 2]
    assert [len(shares) for shares in flat.without] == [2]
    assert one.right == told(ONE, "a", 0).right
    assert two.without[1][0] == told(TWO, "a", 0, (1, 0)).now
    assert two.without[0][1] == told(TWO, "a", 0, (0, 1)).now
