"""What the biases of a layer and its connection do, whatever the numbers."""

from __future__ import annotations

from hypothesis import given

from tests.core.random_layers import Layer, assert_same, layers


@given(layers())
def test_a_key_bias_never_changes_the_weights(layer: Layer) -> None:
    trace, moved = layer.run(), layer.changed(b_k=layer.projections.b_k + 1).run()
    assert_same(moved.probabilities, trace.probabilities)
    assert_same(moved.output, trace.output)
    assert_same(moved.keys, trace.keys + 1)
    assert_same(trace.keys, layer.memory @ layer.projections.w_k + layer.projections.b_k)


@given(layers())
def test_a_query_bias_adds_to_the_scores(layer: Layer) -> None:
    without = layer.changed(b_q=None).run()
    p = layer.projections
    b_q = p.b_q.reshape(1, p.n_heads, 1, p.d_k)
    shift = b_q @ without.key_heads.repeat(p.n_heads // p.groups, axis=1).swapaxes(-1, -2)
    assert_same(layer.run().scores, without.scores + shift)


@given(layers())
def test_value_and_output_biases_pass_straight_through(layer: Layer) -> None:
    without, trace = layer.changed(b_v=None, b_o=None).run(), layer.run()
    p = layer.projections
    added = p.b_v.reshape(p.groups, p.d_v).repeat(p.n_heads // p.groups, axis=0).reshape(-1)
    assert_same(trace.merged, without.merged + added)
    assert_same(trace.output, without.output + added @ p.w_o + p.b_o)


@given(layers())
def test_a_connection_adds_the_inputs(layer: Layer) -> None:
    plain, connected = layer.run(), layer.run(residual=True)
    assert_same(connected.output - plain.output, layer.x)
    assert_same(connected.merged, plain.merged)
