"""One block of a Transformer around the layer that the story shows: residual connections, norms and
a feed-forward part, with every number on the way.

T token, D model feature, F feature between the matrices of the feed-forward part, H head.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from attention_core.checks import Array
from attention_core.trace import Trace

from .block_weights import POST_NORM, PRE_NORM, BlockWeights, block_weights
from .cache import cached
from .choices import resolve
from .control import Control, controls_of
from .heads.reruns import rerun
from .heads.weight_blocks import head_contributions
from .scenario import Scenario, sequence_of
from .sentences import in_batch
from .trained.feed_forward import FeedForwardRun, run_feed_forward
from .trained.language_text import language_run

ON, OFF = "on", "off"


@dataclass(frozen=True)
class BlockChoices:
    """What can be chosen of a block; a model has decided all but the last.

    order: whether the norms stand before the two parts or after them. activation: between the
    matrices of the feed-forward part. skip: whether the residual connections are on.
    """

    order: str = Control(POST_NORM, "Norms", options=(POST_NORM, PRE_NORM)).explained()
    activation: str = Control("relu", "Activation", options=("relu", "tanh", "gelu")).explained()
    skip: str = Control(ON, "Residual connections", options=(ON, OFF)).explained()


BLOCK_CONTROLS = controls_of(BlockChoices)


@dataclass(frozen=True, eq=False)
class Block:
    """The numbers of a block.

    trace: of its attention, which reads the normed vectors with pre-norm. adds: whether the first
    residual connection is there, adds_again: whether the second is. first_norm and second_norm
    stand before attention and feed-forward part, or after their sums, as `weights.order` says.
    Shapes: (T, D).
    """

    weights: BlockWeights
    trace: Trace
    adds: bool
    adds_again: bool
    inputs: Array
    attention: Array
    first_sum: Array
    first_norm: Array
    fed: FeedForwardRun
    second_sum: Array
    second_norm: Array

    @property
    def is_pre_norm(self) -> bool:
        """Whether the norms stand before the two parts."""
        return self.weights.order == PRE_NORM

    @property
    def output(self) -> Array:
        """What the next block reads. Shapes: (T, D)."""
        return self.second_sum if self.is_pre_norm else self.second_norm

    @property
    def heads(self) -> Array:
        """What each head adds to each token. Shapes: (H, T, D)."""
        added_HTD: Array = head_contributions(self.trace)[0]
        return added_HTD

    @property
    def n_weights(self) -> tuple[int, int]:
        """How many numbers attention holds, and how many the feed-forward part."""
        p, fed = self.trace.projections, self.weights.feed_forward
        of_attention = [getattr(p, name) for name in ("b_q", "b_k", "b_v", "b_o")]
        of_fed = [getattr(fed, one.name) for one in fields(fed)]
        sizes = [
            sum(np.size(a) for a in arrays if isinstance(a, np.ndarray))
            for arrays in (of_attention, of_fed)
        ]
        return p.n_weights + sizes[0], sizes[1]

    def kept(self, token: int) -> float | None:
        """How much of a token's direction the block keeps: the cosine between what goes in and what
        comes out; None if their widths differ. Units or range: −1 to 1; 0 where one of them is 0.
        """
        before_D, after_D = self.inputs[token], self.output[token]
        if before_D.shape != after_D.shape:
            return None
        lengths = float(np.linalg.norm(before_D) * np.linalg.norm(after_D))
        return float(before_D @ after_D) / lengths if lengths else 0.0


def run_block(weights: BlockWeights, trace: Trace, inputs_TD: Array, adds: bool = True) -> Block:
    """A block from its attention on. trace: of one sequence, without its own residual connection
    or with it; with pre-norm its inputs are the normed ones. adds: the residual connections.

    Where attention has another width than its inputs, these cannot be added. Source: Vaswani et al.
    2017, section 3.1 (post-norm); Xiong et al. 2020 (pre-norm).
    """
    first, second = weights.norms
    attention_TD = trace.output[0]
    if trace.residual:
        attention_TD = rerun(trace, residual=False).output[0]
    fits = inputs_TD.shape == attention_TD.shape
    first_sum_TD = inputs_TD + attention_TD if adds and fits else attention_TD
    if weights.order == PRE_NORM:
        first_norm_TD = trace.inputs[0]
        second_norm_TD = second.of(first_sum_TD)
        fed = run_feed_forward(second_norm_TD, weights.feed_forward)
        second_sum_TD = first_sum_TD + fed.output if adds else fed.output
    else:
        first_norm_TD = first.of(first_sum_TD)
        fed = run_feed_forward(first_norm_TD, weights.feed_forward)
        second_sum_TD = first_norm_TD + fed.output if adds else fed.output
        second_norm_TD = second.of(second_sum_TD)
    arrays = (attention_TD, first_sum_TD, first_norm_TD, fed, second_sum_TD, second_norm_TD)
    return Block(weights, trace, adds and fits, adds, inputs_TD, *arrays)


@cached
def block_of(scenario: Scenario, choices: BlockChoices, sequence: int = 0) -> Block:
    """The block around the layer of a scenario. Raises: AttentionError.

    Around the language model's layer stands the stream that goes into it. With other weights and
    pre-norm the heads run again, on the normed inputs.
    """
    trace = sequence_of(scenario, sequence)
    weights = block_weights(scenario, trace, choices.order, choices.activation)
    adds = choices.skip == ON
    run = resolve(in_batch(scenario, sequence))
    if run.weights.writes:
        one = run.chosen
        stream_TD = language_run(one.text, one.n_tokens, one.model).streams[one.layer]
        return run_block(weights, trace, stream_TD, adds)
    inputs_TD = trace.inputs[0]
    if weights.order == PRE_NORM:
        trace = rerun(trace, x=weights.norms[0].of(inputs_TD))
    return run_block(weights, trace, inputs_TD, adds)


@dataclass(frozen=True)
class BlockFacts:
    """What a page says of one token in a block.

    kept, kept_other: `Block.kept` with these residual connections, and with them off instead of on,
    or on instead of off. mean, spread: of the numbers that the first norm reads; spread is their
    standard deviation, or without a mean their root mean square. n_features, n_hidden: widths.
    n_active: hidden features of the token above 0 after the activation.
    """

    kept: float | None
    kept_other: float | None
    mean: float
    spread: float
    n_features: int
    n_hidden: int
    n_active: int


def block_facts(scenario: Scenario, choices: BlockChoices, sequence: int, token: int) -> BlockFacts:
    """The facts of a token in the block of a scenario. Raises: AttentionError."""
    block = block_of(scenario, choices, sequence)
    other = block_of(scenario, replace(choices, skip=OFF if choices.skip == ON else ON), sequence)
    read_D = (block.inputs if block.is_pre_norm else block.first_sum)[token]
    mean = float(read_D.mean()) if block.weights.centred else 0.0
    return BlockFacts(
        kept=block.kept(token),
        kept_other=other.kept(token),
        mean=mean,
        spread=float(np.sqrt(np.square(read_D - mean).mean())),
        n_features=len(read_D),
        n_hidden=block.fed.hidden.shape[1],
        n_active=int((block.fed.activated[token] > 0).sum()),
    )
