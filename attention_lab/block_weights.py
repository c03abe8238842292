"""What stands around the attention of a block: the norms and the feed-forward part of the model
whose layer it is, or of our own making where the layer belongs to no model.

D model feature, F feature between the matrices of the feed-forward part.
"""

from dataclasses import dataclass, replace

import numpy as np

from attention_core.initialisation import Stream, generator, xavier
from attention_core.trace import Trace

from .by_hand import HandmadeLayer
from .choices import Scenario, resolve
from .layer_norm import Norm
from .trained.allowed_models import writing_model
from .trained.feed_forward import FeedForward
from .trained.minilm import load_minilm
from .weight_kinds import TRAINED

POST_NORM, PRE_NORM = "post-norm", "pre-norm"
WIDENING = 2  # hidden features for each feature of the model; 4 is usual, and needs twice the room
EPSILON = 1e-5  # as in PyTorch's LayerNorm
BY_MODEL, BY_HAND, BY_SEED = "model", "hand", "seed"


@dataclass(frozen=True, eq=False)
class BlockWeights:
    """The norms and the feed-forward part of a block.

    order: `POST_NORM` or `PRE_NORM`. hidden_names: of the hidden features, if they have any. made:
    by whom, one of `BY_MODEL`, `BY_HAND`, `BY_SEED`.
    """

    order: str
    norms: tuple[Norm, Norm]
    feed_forward: FeedForward
    hidden_names: tuple[str, ...] = ()
    made: str = BY_MODEL

    @property
    def centred(self) -> bool:
        """Whether the norms are LayerNorm, else RMSNorm."""
        return self.norms[0].offset is not None


def block_weights(scenario: Scenario, trace: Trace, order: str, activation: str) -> BlockWeights:
    """The weights around the layer of a scenario. A model has its own order and activation. Raises:
    AttentionError.
    """
    run = resolve(scenario)
    if run.weights.writes:
        return _of_language_model(run.chosen.layer, run.chosen.model)
    if run.weights is TRAINED:
        return _of_minilm(run.chosen.layer)
    widths = trace.sizes["D"], trace.sizes["O"]
    between = widths if order == PRE_NORM else (widths[1], widths[1])
    norms = (_plain_norm(between[0]), _plain_norm(widths[1]))
    layer = run.handmade
    if layer and widths[0] == widths[1]:
        made = replace(handmade_feed_forward(layer), activation=activation)
        return BlockWeights(order, norms, made, tuple(layer.hidden), BY_HAND)
    drawn = replace(seeded_feed_forward(widths[1], run.chosen.seed), activation=activation)
    return BlockWeights(order, norms, drawn, made=BY_SEED)


def _plain_norm(width: int) -> Norm:
    """LayerNorm that has learnt nothing."""
    return Norm(np.ones(width), np.zeros(width), EPSILON)


def _of_language_model(number: int, model: str) -> BlockWeights:
    layer = writing_model(model).decoder.layers[number]
    norms = (layer.attention_norm, layer.feed_forward_norm)
    return BlockWeights(PRE_NORM, norms, layer.feed_forward)


def _of_minilm(number: int) -> BlockWeights:
    layer = load_minilm().layers[number]
    return BlockWeights(POST_NORM, (layer.attention_norm, layer.output_norm), layer.feed_forward)


def handmade_feed_forward(layer: HandmadeLayer) -> FeedForward:
    """The feed-forward part of a layer made by hand, with ReLU. Shapes: F = its hidden features."""
    hidden = layer.hidden.values()
    columns = [[one.reads.get(name, 0.0) for name in layer.features] for one in hidden]
    rows = [[one.gives.get(name, 0.0) for name in layer.features] for one in hidden]
    b_in, b_out = np.array([one.bias for one in hidden]), np.zeros(len(layer.features))
    return FeedForward(np.array(columns).T, b_in, np.array(rows), b_out, activation="relu")


def seeded_feed_forward(width: int, seed: int) -> FeedForward:
    """A feed-forward part that has learnt nothing: Glorot's numbers, and small biases.

    Shapes: F = 2 D.
    """
    rng, n_hidden = generator(seed, Stream.FEED_FORWARD), WIDENING * width
    w_in, w_out = xavier(rng, width, n_hidden), xavier(rng, n_hidden, width)
    b_in, b_out = (0.1 * rng.standard_normal(size) for size in (n_hidden, width))
    return FeedForward(w_in, b_in, w_out, b_out, activation="relu")
