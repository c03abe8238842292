"""A block is what plain loops and PyTorch compute, and that of a model gives what its next
layer reads.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from attention_core import Projections, attend
from attention_lab.block import (
    BLOCK_CONTROLS,
    Block,
    BlockChoices,
    block_facts,
    block_of,
    run_block,
)
from attention_lab.block_weights import BY_HAND, BY_SEED, BlockWeights, seeded_feed_forward
from attention_lab.export.step_code import block_code
from attention_lab.heads.reruns import rerun
from attention_lab.layer_norm import Norm
from attention_lab.next_token import next_token_of
from attention_lab.presets import presets
from attention_lab.scenario import Scenario, trace_of
from attention_lab.trained.encoded_text import encoded
from attention_lab.trained.feed_forward import FeedForward
from attention_lab.trained.language_model import language_model
from attention_lab.trained.language_text import language_run
from attention_lab.trained.minilm import load_minilm
from attention_lab.user_data.edits import Edit, Edits

T, D, F, H = 5, 6, 11, 2
DATA = Path(__file__).resolve().parent.parent / "data"
GOLDEN = json.loads((DATA / "block_golden.json").read_text(encoding="utf-8"))
FROG = "One day, a little frog was very sad. The"
FIRST = presets()[0].scenario
Row = list[float]

LOOP_ACTIVATIONS = {
    "relu": lambda x: x if x > 0 else 0.0,
    "tanh": math.tanh,
    "gelu": lambda x: x * NormalDist().cdf(x),
    "silu": lambda x: x / (1 + math.exp(-x)),
}


def normed(row: Row, norm: Norm) -> Row:
    """LayerNorm or RMSNorm of one token in plain Python."""
    mean = 0.0 if norm.offset is None else sum(row) / len(row)
    root = math.sqrt(sum((x - mean) ** 2 for x in row) / len(row) + norm.epsilon)
    offset = [0.0] * len(row) if norm.offset is None else norm.offset
    return [
        (x - mean) / root * gain + more
        for x, gain, more in zip(row, norm.gain, offset, strict=True)
    ]


def times(row: Row, matrix: np.ndarray, bias: np.ndarray | None) -> Row:
    """A row times a matrix, plus a bias, in plain Python."""
    more = [0.0] * matrix.shape[1] if bias is None else bias
    return [
        sum(x * w for x, w in zip(row, matrix[:, j], strict=True)) + b for j, b in enumerate(more)
    ]


def fed(row: Row, weights: FeedForward) -> Row:
    """The feed-forward part of one token in plain Python."""
    act = LOOP_ACTIVATIONS[weights.activation]
    hidden = [act(x) for x in times(row, weights.w_in, weights.b_in)]
    if weights.w_up is not None:
        up = times(row, weights.w_up, None)
        hidden = [one * other for one, other in zip(hidden, up, strict=True)]
    return times(hidden, weights.w_out, weights.b_out)


def by_loops(block: Block, token: int, adds: bool = True) -> Row:
    """The output of a block for one token, from its inputs and what attention gives."""
    weights = block.weights
    row, attention = block.inputs[token].tolist(), block.attention[token].tolist()

    def added(one: Row, other: Row) -> Row:
        return [a + b for a, b in zip(one, other, strict=True)] if adds else list(other)

    def norm(one: Row, place: int) -> Row:
        return normed(one, weights.norms[place])

    if weights.order == "pre-norm":
        between = added(row, attention)
        return added(between, fed(norm(between, 1), weights.feed_forward))
    between = norm(added(row, attention), 0)
    return norm(added(between, fed(between, weights.feed_forward)), 1)


def random_weights(order: str, activation: str) -> BlockWeights:
    """Weights in which no number is 0 or 1."""
    rng = np.random.default_rng(5)
    norms = tuple(Norm(rng.normal(size=D), rng.normal(size=D), 0.25) for _ in range(2))
    made = FeedForward(
        rng.normal(size=(D, F)),
        rng.normal(size=F),
        rng.normal(size=(F, D)),
        rng.normal(size=D),
        activation=activation,
    )
    return BlockWeights(order, (norms[0], norms[1]), made)


@pytest.mark.parametrize("order", BLOCK_CONTROLS["order"].options)
@pytest.mark.parametrize("activation", LOOP_ACTIVATIONS)
@pytest.mark.parametrize("adds", [True, False])
def test_a_block_is_that_of_plain_loops(order: str, activation: str, adds: bool) -> None:
    weights = random_weights(order, activation)
    x = np.random.default_rng(6).normal(size=(T, D))
    read = weights.norms[0].of(x) if order == "pre-norm" else x
    trace = attend(read, Projections.random(D, H, seed=3, bias=True), causal=True)
    block = run_block(weights, trace, x, adds)
    for token in range(T):
        assert block.output[token] == pytest.approx(by_loops(block, token, adds), rel=1e-9)


def test_the_gated_part_is_that_of_plain_loops() -> None:
    weights = random_weights("pre-norm", "silu")
    up = np.random.default_rng(8).normal(size=(D, F))
    gated = replace(weights.feed_forward, w_up=up, b_in=None, b_out=None)
    first, second = (replace(norm, offset=None) for norm in weights.norms)
    weights = replace(weights, norms=(first, second), feed_forward=gated)
    x = np.random.default_rng(6).normal(size=(T, D))
    trace = attend(weights.norms[0].of(x), Projections.random(D, H))
    block = run_block(weights, trace, x)
    assert block.output[2] == pytest.approx(by_loops(block, 2), rel=1e-9)


def test_a_residual_connection_of_the_layer_itself_is_not_added_twice() -> None:
    weights, x = random_weights("post-norm", "relu"), np.random.default_rng(6).normal(size=(T, D))
    layer = Projections.random(D, H, seed=3)
    with_x, without = (
        run_block(weights, attend(x, layer, residual=residual), x) for residual in (True, False)
    )
    np.testing.assert_allclose(with_x.output, without.output, rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: str(case["norm_first"]))
def test_a_block_is_that_of_pytorch(case: dict[str, Any]) -> None:
    with np.load(DATA / "block_golden.npz", allow_pickle=False) as file:
        state = {name: file[key] for name, key in case["state"].items()}
        expected = {name: file[key] for name, key in case["expected"].items()}
        x = file[case["inputs"]]
    attention = {
        name.removeprefix("self_attn."): array
        for name, array in state.items()
        if name.startswith("self_attn.")
    }
    norms = [Norm(state[f"norm{n}.weight"], state[f"norm{n}.bias"], 1e-5) for n in (1, 2)]
    linear = [(state[f"linear{n}.weight"].T, state[f"linear{n}.bias"]) for n in (1, 2)]
    order = "pre-norm" if case["norm_first"] else "post-norm"
    made = FeedForward(*linear[0], *linear[1], activation=case["activation"])
    weights = BlockWeights(order, (norms[0], norms[1]), made)
    read = norms[0].of(x) if case["norm_first"] else x
    layer = Projections.from_state_dict(attention, n_heads=2)
    block = run_block(weights, attend(read, layer, causal=case["causal"]), x)
    found = {
        "attention": block.attention,
        "first_norm": block.first_norm,
        "hidden": block.fed.hidden,
        "feed_forward": block.fed.output,
        "second_norm": block.second_norm,
        "output": block.output,
    }
    assert found.keys() == expected.keys()
    for name, array in found.items():
        np.testing.assert_allclose(array, expected[name], rtol=0, atol=1e-11, err_msg=name)


TOUCHES = {
    "as it is": {},
    "a head off": {"without": "2"},
    "a number of X": {"edits": Edits((Edit("x", 5, 3, 2.0),)).url_value()},
    "cut": {"n_tokens": 7},
    "filled up": {"n_tokens": 19},
}


@pytest.mark.parametrize("layer", range(4))
@pytest.mark.parametrize("name", TOUCHES)
def test_in_the_language_model_a_block_gives_what_the_next_layer_reads(
    name: str, layer: int
) -> None:
    scenario = Scenario(FROG, weights="language model", layer=layer, **TOUCHES[name])
    block = block_of(scenario, BlockChoices())
    run = next_token_of(scenario).run
    np.testing.assert_allclose(block.output, run.streams[layer + 1], rtol=0, atol=1e-11)
    if name == "as it is":
        read = language_model().decoder.layers[layer + 1].attention_norm.of(block.output)
        np.testing.assert_allclose(read, run.traces[layer + 1].inputs[0], rtol=0, atol=1e-11)
        row = by_loops(block, 7)
        assert block.output[7] == pytest.approx(row, rel=1e-9)


def test_the_block_of_the_last_layer_gives_what_the_logits_read() -> None:
    block = block_of(Scenario(FROG, weights="language model", layer=4), BlockChoices())
    logits = language_model().decoder.logits(block.output)
    np.testing.assert_allclose(logits, language_run(FROG).logits, rtol=0, atol=1e-10)


@pytest.mark.parametrize("layer", range(6))
@pytest.mark.parametrize("residual", [True, False])
def test_in_minilm_a_block_gives_what_the_next_layer_reads(layer: int, residual: bool) -> None:
    text = "The animal did not cross the street because it was too tired"
    scenario = Scenario(text, weights="trained", layer=layer, residual=residual)
    block = block_of(scenario, BlockChoices("pre-norm", "tanh"))  # the model decides
    run = encoded(text)
    expected = run.traces[layer + 1].inputs[0] if layer < 5 else run.output
    np.testing.assert_allclose(block.output, expected, rtol=0, atol=2e-5)
    if layer == 3 and residual:
        assert block.output[9] == pytest.approx(by_loops(block, 9), abs=2e-5)
        assert block.weights.norms[0] is load_minilm().layers[3].attention_norm


def test_the_heads_of_a_post_norm_block_are_those_of_the_story() -> None:
    assert block_of(FIRST, BlockChoices()).trace is trace_of(FIRST)
    pre = block_of(FIRST, BlockChoices("pre-norm"))
    np.testing.assert_allclose(pre.trace.inputs[0].mean(axis=1), 0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(pre.trace.inputs[0].std(axis=1), 1, rtol=0, atol=1e-4)
    assert np.array_equal(pre.inputs, trace_of(FIRST).inputs[0])


def test_the_feed_forward_part_made_by_hand_can_be_followed() -> None:
    """It, at place 8, has read noun and animate: the first hidden feature is pronoun plus animate
    less 1.
    """
    block = block_of(FIRST, BlockChoices())
    assert (block.weights.made, block.fed.hidden.shape) == (BY_HAND, (10, 3))
    z = block.first_norm
    expected = np.array(
        [z[:, 2] + z[:, 1] - 1, z[:, 2] + z[:, 0] - z[:, 1] - 1.5, z[:, 3] + z[:, 0] - 1]
    )
    np.testing.assert_allclose(block.fed.hidden, expected.T, rtol=0, atol=1e-12)
    lives = block.fed.activated[:, 0]
    assert lives.nonzero()[0].tolist() == [8]
    assert block.fed.output[8] == pytest.approx([lives[8], lives[8], -lives[8], 0, 0, 0, 0, 0])
    assert block.fed.activated[:, 2].nonzero()[0].tolist() == [2, 9]  # saw and ran


def test_a_seed_decides_the_feed_forward_part() -> None:
    one, other = (seeded_feed_forward(6, seed) for seed in (0, 1))
    assert (one.w_in.shape, one.w_out.shape) == ((6, 12), (12, 6))
    assert not np.array_equal(one.w_in, other.w_in)
    assert np.array_equal(one.w_out, seeded_feed_forward(6, 0).w_out)
    assert block_of(Scenario(), BlockChoices()).weights.made == BY_SEED


@pytest.mark.parametrize("order", BLOCK_CONTROLS["order"].options)
def test_without_equal_widths_x_is_not_added(order: str) -> None:
    block = block_of(Scenario(d_o=6), BlockChoices(order))
    assert (block.adds, block.adds_again) == (False, True)
    assert np.array_equal(block.first_sum, block.attention)
    assert block.output.shape == (12, 6)
    assert block.kept(3) is None


def test_each_sequence_of_a_batch_has_its_block() -> None:
    scenario = Scenario("we saw the cat", batch="It slept", n_heads=2)
    for order in BLOCK_CONTROLS["order"].options:
        second = block_of(scenario, BlockChoices(order), 1)
        alone = block_of(Scenario("It slept", n_heads=2), BlockChoices(order))
        np.testing.assert_allclose(second.output[:2], alone.output, rtol=0, atol=1e-12)


def test_the_facts_of_a_token() -> None:
    scenario = Scenario(n_heads=2, seed=4)
    for choices in (BlockChoices(), BlockChoices("pre-norm", "tanh", "off")):
        block, facts = block_of(scenario, choices), block_facts(scenario, choices, 0, 7)
        other = block_of(scenario, replace(choices, skip="off" if choices.skip == "on" else "on"))
        for kept, one in ((facts.kept, block), (facts.kept_other, other)):
            x, y = one.inputs[7].tolist(), one.output[7].tolist()
            dot = sum(a * b for a, b in zip(x, y, strict=True))
            assert kept == pytest.approx(dot / math.hypot(*x) / math.hypot(*y))
        read = (block.inputs if choices.order == "pre-norm" else block.first_sum)[7].tolist()
        mean = sum(read) / 16
        spread = math.sqrt(sum((a - mean) ** 2 for a in read) / 16)
        assert (facts.mean, facts.spread) == pytest.approx((mean, spread))
        assert facts.n_active == sum(a > 0 for a in block.fed.activated[7].tolist())
        assert (facts.n_features, facts.n_hidden) == (16, 32)


CODED = {
    "post-norm": (FIRST, BlockChoices("post-norm", "gelu")),
    "pre-norm": (Scenario(seed=2, n_heads=2), BlockChoices("pre-norm", "tanh")),
    "nothing added": (Scenario(), BlockChoices("post-norm", "relu", "off")),
    "narrow": (Scenario(d_o=6), BlockChoices("pre-norm")),
    "language model": (Scenario(FROG, weights="language model", layer=2), BlockChoices()),
    "MiniLM": (Scenario(weights="trained", layer=2), BlockChoices()),
}


@pytest.mark.parametrize("name", CODED)
def test_the_code_gives_the_block(name: str) -> None:
    block = block_of(*CODED[name])
    first, second = block.weights.norms
    made = block.weights.feed_forward

    def heads(x: np.ndarray) -> np.ndarray:
        return rerun(block.trace, x=x, residual=False).output[0]

    names: dict[str, Any] = {
        "np": np,
        "erf": np.vectorize(math.erf),
        "attend": heads,
        "x": block.inputs,
        "first_gain": first.gain,
        "first_offset": first.offset,
        "second_gain": second.gain,
        "second_offset": second.offset,
        **{one: getattr(made, one) for one in ("w_in", "b_in", "w_out", "b_out", "w_up")},
    }
    exec(block_code(block), names)
    limit = 1e-4 if name == "MiniLM" else 1e-10
    np.testing.assert_allclose(names["y"], block.output, rtol=0, atol=limit)


def test_how_many_numbers_a_block_holds() -> None:
    assert block_of(FIRST, BlockChoices()).n_weights == (256, 8 * 3 + 3 + 3 * 8 + 8)
    model = block_of(Scenario(FROG, weights="language model"), BlockChoices())
    assert model.n_weights == (2 * 64 * 64 + 2 * 64 * 32, 3 * 64 * 172)
