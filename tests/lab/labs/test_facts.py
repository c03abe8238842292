"""What the pages of the laboratories say, against plain loops, known cases and other programs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core.formulas import softmax
from attention_lab.labs.circuit import LetterModel
from attention_lab.labs.circuit_settings import LETTERS, CircuitSettings, draw_sequences
from attention_lab.labs.content_task import unseen_pictures
from attention_lab.labs.content_training import content_example, trained_attention
from attention_lab.labs.convolution import (
    one_by_one_example,
    run_convolution,
    run_one_by_one,
)
from attention_lab.labs.facts import (
    TwoHeadFacts,
    argument_facts,
    column_facts,
    content_facts,
    convolution_facts,
    one_by_one_facts,
    stack_facts,
    stiefel_facts,
    temperature_facts,
)
from attention_lab.labs.images import IMAGES, KERNELS, as_image, as_kernel, for_two_channels
from attention_lab.labs.julia_mapping import mapping_example
from attention_lab.labs.stiefel import ColumnEffect
from attention_lab.labs.subspaces import example_planes
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
SIZES = (16, 2, 5)


def number(said: str) -> float:
    return float(said.replace("−", "-"))


@pytest.mark.parametrize("name", ["emboss", "2 × 2: Roberts"])
def test_the_error_and_the_weight_of_a_convolution(name: str) -> None:
    kernel = for_two_channels(as_kernel(KERNELS[name]))
    picture = as_image(IMAGES["letter A"], IMAGES["ramp"])
    run = run_convolution(picture, kernel, 1.0, "frame")
    side, (height, width, n_in) = len(kernel), picture.shape
    starts = [-(side // 2) if side % 2 else 0 for _ in range(2)]
    largest, least = 0.0, 1.0
    for row in range(height):
        for column in range(width):
            sums = [0.0, 0.0]
            for head, (down, across) in enumerate(np.ndindex(side, side)):
                at = (row + starts[0] + down, column + starts[1] + across)
                inside = 0 <= at[0] < height and 0 <= at[1] < width
                for channel in range(n_in):
                    pixel = picture[(*at, channel)] if inside else 0.0
                    for out in range(2):
                        sums[out] += pixel * kernel[down, across, channel, out]
                margin = run.grid.margin
                key = (at[0] + margin) * (width + 2 * margin) + at[1] + margin
                query = (row + margin) * (width + 2 * margin) + column + margin
                least = min(least, run.trace.probabilities[0, head, query, key])
            gaps = [abs(a - b) for a, b in zip(run.output[row, column], sums, strict=True)]
            largest = max(largest, *gaps)
    none = TwoHeadFacts(1.0, 1.0)  # type: ignore[arg-type]
    ones = one_by_one_facts(run_one_by_one(*one_by_one_example(), 1.0))
    facts = convolution_facts(run, 1.0, kernel.shape, (3, 4), lambda: none, lambda: ones)
    assert facts.error == pytest.approx(largest)
    assert facts.target == pytest.approx(least)
    assert (facts.side, facts.heads, facts.channels) == (side, side * side, (2, 2))
    assert (facts.sharpness, facts.content.pixel) == ("1", (3, 4))


@pytest.mark.parametrize(("pixel", "side"), [((0, 0), 3), ((3, 4), 1), ((2, 1), 2)])
def test_the_pixel_that_asks_and_its_twin(pixel: tuple[int, int], side: int) -> None:
    pictures, example = unseen_pictures(), content_example(*pixel, side)
    marks, grey = pictures.marks[0], pictures.grey[0]
    place = pixel[0] * 5 + pixel[1]
    (twin,) = [one for one in range(20) if one != place and marks[one] == marks[place]]
    facts = content_facts(pixel, example)
    assert facts.mark == marks[place]
    assert facts.twin == divmod(twin, 5)
    scores = trained_attention(pictures.contents[:1]).scaled_scores[0, 0, place]
    powers = [math.exp(one - max(scores)) for one in scores]
    assert facts.share == pytest.approx(powers[twin] / sum(powers))
    right = pictures.colours[0].argmax(axis=1) + 1
    hits = {
        name: sum(
            bool(g) and said == r for g, said, r in zip(grey, one.ravel(), right, strict=True)
        )
        for name, one in example.said.items()
    }
    assert facts.grey == sum(map(bool, grey)) == hits["right"]
    assert (facts.by_attention, facts.by_kernel) == (hits["attention"], hits["kernel"])
    learners = facts.scores
    assert learners["attention"].right > max(
        one.right for name, one in learners.items() if name != "attention"
    )


def test_no_kernel_tells_the_four_pictures() -> None:
    facts = argument_facts()
    assert (facts.cells, facts.kernels, facts.near) == ("are equal",) * 3
    assert facts.said["attention"] == facts.right
    assert all(
        said != facts.right for name, said in facts.said.items() if name.startswith("kernel")
    )
    assert facts.right[0] == facts.right[3] != facts.right[1] == facts.right[2]


@pytest.mark.parametrize("kind", ["raw", "layer-normed"])
def test_tokens_that_choose_themselves(kind: str) -> None:
    """Token 5 is token 0, twice as long; with equal lengths the two tie, and both may choose."""
    tokens, mixing = one_by_one_example()
    facts = one_by_one_facts(run_one_by_one(tokens, mixing, 2.0, kind))
    rows = [(row - row.mean()) / row.std() if kind == "layer-normed" else row for row in tokens]
    gap, choosing = 0.0, 0
    for one in rows:
        scores = [2.0 * float(one @ other) for other in rows]
        choosing += 2.0 * float(one @ one) >= max(scores) - 1e-9
        powers = [math.exp(score - max(scores)) for score in scores]
        mixed = sum(p * other for p, other in zip(powers, rows, strict=True)) / sum(powers)
        gap = max(gap, float(np.abs((mixed - one) @ mixing).max()))
    assert facts.error == pytest.approx(gap, rel=1e-4)
    assert (facts.choosing, facts.tokens) == (choosing, 6)
    assert (choosing == 6) == (kind == "layer-normed")


def effect(*values: float) -> ColumnEffect:
    return ColumnEffect(7.0, np.array(values), 0.5, 1.5)


def test_what_the_constraint_changes() -> None:
    effects = {"orthonormal": effect(1, 1), "normal": effect(2.25, 1, 0.5), "glorot": effect(9, 8)}
    planes, check = example_planes(2, 3, orthonormal=False), mapping_example("code", True, 2)
    facts = stiefel_facts(effects, "normal", SIZES, planes, check)
    assert (facts.normal.largest, facts.normal.smallest) == (2.25, 0.5)
    assert facts.columns["glorot"] == column_facts(effect(9, 8))
    normal = facts.normal
    assert [normal.condition, normal.spread, normal.entropy] == [7, 0.5, 1.5]
    assert (facts.unseen, facts.width, facts.heads, facts.head_width) == (8, 16, 2, 8)
    # A column of 16 numbers loses one for its length, and one for each column before it.
    free_in_a_head = sum(16 - 1 - before for before in range(8))
    assert (facts.free, facts.constrained) == (3 * 256, 3 * 2 * free_in_a_head)
    assert facts.part == pytest.approx(facts.constrained / facts.free)
    assert facts.even == pytest.approx(-sum(0.2 * math.log(0.2) for _ in range(5)))
    for shares, basis in zip(facts.lengths, planes.bases, strict=True):
        for share, token in zip(shares, planes.points, strict=True):
            fit, *_ = np.linalg.lstsq(basis, token, rcond=None)
            assert share == pytest.approx(sum((basis @ fit) ** 2) / sum(token**2))
    ratios = [
        np.linalg.norm(basis.T @ token) / np.linalg.norm(foot) - 1
        for basis, feet in zip(planes.bases, planes.feet, strict=True)
        for token, foot in zip(planes.points, feet, strict=True)
    ]
    assert facts.stretch == pytest.approx(max(map(abs, ratios)))
    assert (facts.agreement, facts.same) == ("are equal", True)
    apart = replace(check, difference=0.25)
    straight = stiefel_facts(effects, "normal", SIZES, example_planes(2, 3), apart)
    assert straight.stretch is None
    assert (number(straight.agreement.split()[-1]), straight.same) == (0.25, False)


@pytest.mark.parametrize(
    ("errors", "best", "case"),
    [
        ({4.0: 0.3, 0.25: 0.2, 0.0625: 0.1}, 0.0625, "lowest"),
        ({0.0625: 0.4, 4.0: 0.3, 0.25: 0.1}, 0.25, "between"),
        ({4.0: 0.1, 0.25: 0.2, 0.0625: 0.4}, 4.0, "usual"),
        ({0.0625: 0.1, 4.0: 0.1, 0.25: 0.1}, 4.0, "usual"),
    ],
)
def test_the_best_temperature(errors: dict[float, float], best: float, case: str) -> None:
    facts = temperature_facts(errors)
    assert (facts.best, facts.case) == ((best, errors[best]), case)
    assert facts.usual == (4.0, errors[4.0])
    assert facts.lowest == (0.0625, errors[0.0625])
    assert str(facts.best[1]) == f"{errors[best]:.4f}"


@pytest.mark.parametrize(
    ("glorot", "case"),
    [
        *(((0.5, 9.0), "too large"), ((0.5, 2.0), "between"), ((0.85, 9.0), "between")),
        *(((0.9, 9.0), "no harm"), ((0.95, 1.0), "no harm")),
    ],
)
def test_a_stack_is_blamed_only_where_it_is_behind_all_and_larger(
    glorot: tuple[float, float], case: str
) -> None:
    results = {"scaled": (0.9, 3.0), "glorot": glorot, "stiefel": (0.8, 1.5)}
    facts = stack_facts("glorot", results)
    assert facts
    assert (facts.case, facts.right, facts.size) == (case, *glorot)
    assert (facts.others, facts.other_size) == ((0.8, 0.9), 3.0)
    assert stack_facts("glorot", {"glorot": glorot}) is None
    assert stack_facts("glorot", {"scaled": (0.9, 3.0), "stiefel": (0.8, 1.5)}) is None


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
