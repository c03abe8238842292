"""What is true of a whole layer whatever the numbers: heads side by side, sums over heads,
batches, dtypes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    Projections,
    attend,
    merge_heads,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from tests.core.random_layers import Layer, assert_same, calls, layers

Call = tuple[Layer, dict[str, Any]]


SIZE = st.integers(1, 5)


def per_head(layer: Layer) -> list[dict[str, Any]]:
    """The weights of each head alone, as arguments of `Projections`; head h reads key/value
    head h // (H // G).
    """
    p = layer.projections
    blocks = {
        "q": (p.d_k, 1),
        "k": (p.d_k, p.n_heads // p.groups),
        "v": (p.d_v, p.n_heads // p.groups),
    }
    heads = []
    for head in range(p.n_heads):
        weights: dict[str, Any] = {"n_heads": 1, "w_o": p.w_o[head * p.d_v : (head + 1) * p.d_v]}
        for letter, (width, readers) in blocks.items():
            block = slice(head // readers * width, (head // readers + 1) * width)
            weights[f"w_{letter}"] = getattr(p, f"w_{letter}")[:, block]
            weights[f"b_{letter}"] = getattr(p, f"b_{letter}")[block]
        heads.append(weights)
    return heads


@given(SIZE, SIZE, SIZE, SIZE)
def test_split_then_merge_is_the_identity(
    n_batch: int, n_heads: int, n_tokens: int, width: int
) -> None:
    fused = np.arange(n_batch * n_tokens * n_heads * width).reshape(
        n_batch, n_tokens, n_heads * width
    )
    heads = split_heads(fused, n_heads)
    assert heads.shape == (n_batch, n_heads, n_tokens, width)
    assert all(
        (heads[:, h] == fused[:, :, h * width : (h + 1) * width]).all() for h in range(n_heads)
    )
    assert (merge_heads(heads) == fused).all()
    assert (split_heads(merge_heads(heads), n_heads) == heads).all()


@given(calls())
def test_the_output_is_the_sum_of_one_contribution_per_head(call: Call) -> None:
    layer, options = call
    trace = layer.run(**options)
    rows = np.split(layer.projections.w_o, layer.projections.n_heads)
    contributions = sum(trace.head_outputs[:, h] @ w_o for h, w_o in enumerate(rows))
    connection = layer.x if trace.residual else 0
    assert_same(trace.output, contributions + layer.projections.b_o + connection)


@given(calls())
def test_heads_are_one_head_runs_side_by_side(call: Call) -> None:
    layer, options = call
    together = layer.run(**options)
    for h, weights in enumerate(per_head(layer)):
        own = {k: v[:, h : h + 1] if isinstance(v, np.ndarray) else v for k, v in options.items()}
        alone = attend(layer.x, Projections(**weights), memory=layer.memory, **own)
        assert_same(alone.probabilities[:, 0], together.probabilities[:, h])
        assert_same(alone.merged, together.head_outputs[:, h])
        assert_same(alone.merged, np.split(together.merged, layer.projections.n_heads, axis=-1)[h])


@given(layers(self_attention=True, grouped=False))
def test_fused_projections_are_the_heads_laid_side_by_side(layer: Layer) -> None:
    triples = [(head["w_q"], head["w_k"], head["w_v"]) for head in per_head(layer)]
    fused = layer.changed(b_q=None, b_k=None, b_v=None, b_o=None).run(memory=None)
    built = attend(layer.x, Projections.from_heads(triples, layer.projections.w_o))
    assert all((getattr(built, name) == getattr(fused, name)).all() for name in built.steps)
    for h, (w_q, w_k, w_v) in enumerate(triples):
        assert_same(built.query_heads[:, h], layer.x @ w_q)
        assert_same(built.key_heads[:, h], layer.x @ w_k)
        assert_same(built.value_heads[:, h], layer.x @ w_v)


@given(layers(grouped=False))
def test_scores_in_hadamard_form(layer: Layer) -> None:
    trace = layer.run()
    products = trace.queries[:, :, None, :] * trace.keys[:, None, :, :]
    blocks = np.split(products, layer.projections.n_heads, axis=-1)
    assert_same(trace.scores, np.stack([block.sum(axis=-1) for block in blocks], axis=1))
    assert_same(trace.scores.sum(axis=1), trace.queries @ trace.keys.swapaxes(1, 2))


@given(layers(grouped=False))
def test_tokens_as_columns_give_the_transposed_numbers(layer: Layer) -> None:
    trace = layer.run()
    query, key, value = (
        h.swapaxes(-1, -2) for h in (trace.query_heads, trace.key_heads, trace.value_heads)
    )
    probabilities = softmax(key.swapaxes(-1, -2) @ query * trace.scale, axis=-2)
    assert_same(probabilities.swapaxes(-1, -2), trace.probabilities)
    columns = (value @ probabilities).reshape(trace.sizes["B"], -1, trace.sizes["T"])
    output = trace.projections.w_o.T @ columns + trace.projections.b_o[:, None]
    assert_same(output.swapaxes(1, 2), trace.output)


@given(calls())
def test_shared_heads_are_repeated_heads(call: Call) -> None:
    layer, options = call
    options.pop("residual", None)
    p = layer.projections
    trace = layer.run(**options)
    readers = p.n_heads // p.groups
    queries, keys = (getattr(trace, name) for name in trace.needs("scores"))
    repeated = [heads.repeat(readers, axis=1) for heads in (keys, trace.value_heads)]
    options = {k: v for k, v in options.items() if k not in ("rotary", "head_norm")}
    full = scaled_dot_product_attention(queries, *repeated, **options)
    assert_same(full.probabilities, trace.probabilities)
    assert_same(merge_heads(full.head_outputs), trace.merged)


@given(layers())
def test_head_outputs_are_averages(layer: Layer) -> None:
    trace = layer.run()
    values = trace.value_heads.repeat(layer.projections.n_heads // layer.projections.groups, axis=1)
    assert (trace.head_outputs >= values.min(axis=2, keepdims=True) - 1e-12).all()
    assert (trace.head_outputs <= values.max(axis=2, keepdims=True) + 1e-12).all()


@given(layers(self_attention=True))
def test_self_attention_is_cross_attention_to_oneself(layer: Layer) -> None:
    own, given_again = layer.run(memory=None), layer.run(memory=layer.x.copy())
    assert own.memory is own.inputs
    assert all((getattr(own, name) == getattr(given_again, name)).all() for name in own.steps)


@given(calls())
def test_a_batch_is_each_sequence_alone(call: Call) -> None:
    layer, options = call
    batch = layer.run(**options)
    for b in range(len(layer.x)):
        own = {k: v[b : b + 1] if isinstance(v, np.ndarray) else v for k, v in options.items()}
        alone = attend(layer.x[b], layer.projections, memory=layer.memory[b], **own)
        for name in batch.steps:
            assert_same(getattr(alone, name)[0], getattr(batch, name)[b])


@given(calls())
def test_float32_stays_float32(call: Call) -> None:
    layer, options = call
    double, single = layer.run(**options), layer.astype("float32").run(**options)
    for name in double.steps:
        assert getattr(double, name).dtype == np.float64
        assert getattr(single, name).dtype == np.float32
        assert_same(getattr(single, name), getattr(double, name), 1e-5)


@given(layers(), st.integers(0, 2**32 - 1))
def test_integers_are_floats(layer: Layer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = ("w_q", "w_k", "w_v", "w_o")
    weights = {name: rng.integers(-2, 3, getattr(layer.projections, name).shape) for name in names}
    x, memory = rng.integers(-3, 4, layer.x.shape), rng.integers(-3, 4, layer.memory.shape)
    whole = layer.changed(**weights).run(x=x, memory=memory)
    floats = layer.changed(**{k: v.astype(float) for k, v in weights.items()}).run(
        x=x + 0.0, memory=memory + 0.0
    )
    assert all((getattr(whole, name) == getattr(floats, name)).all() for name in whole.steps)
    assert whole.scores.dtype == np.float64


@given(calls())
def test_nothing_that_was_given_is_changed(call: Call) -> None:
    layer, options = call
    given_arrays = [
        layer.x,
        layer.memory,
        *(v for v in options.values() if isinstance(v, np.ndarray)),
    ]
    copies = [array.copy() for array in given_arrays]
    layer.run(**options)
    assert all(
        (array == copy).all() and array.flags.writeable
        for array, copy in zip(given_arrays, copies, strict=True)
    )


@given(layers())
def test_the_heads_alone_are_the_heads_of_the_layer(layer: Layer) -> None:
    rules = {"mask": layer.mask, "bias": layer.bias, "causal": True, "softcap": 2.0, "scale": 0.4}
    trace = layer.run(**rules)
    record = scaled_dot_product_attention(
        trace.query_heads, trace.key_heads, trace.value_heads, **rules
    )
    for name in ("scores", "scaled_scores", "masked_scores", "probabilities", "head_outputs"):
        assert_same(getattr(record, name), getattr(trace, name))


@given(layers())
def test_without_an_output_matrix_the_heads_are_the_output(layer: Layer) -> None:
    joined = replace(layer.projections, w_o=None, b_o=None)
    trace = attend(layer.x, joined, memory=layer.memory)
    assert_same(trace.output, layer.run().merged)
