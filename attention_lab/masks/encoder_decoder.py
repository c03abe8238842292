"""The three uses of attention in an encoder-decoder: where queries come from, where keys and values
come from, and which mask belongs there.

Before them: the sentence of a scenario, and others with the same word vectors.
"""

from dataclasses import dataclass, replace

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.masks import padding_mask
from attention_core.positions import alibi_bias
from attention_core.trace import Trace

from ..cache import cached
from ..choices import resolve
from ..heads.reruns import layer_options
from ..scenario import Scenario, trace_of
from ..sentences import embedding_of, tokens_of
from ..user_data.matrix_names import MAX_TOKENS


@dataclass(frozen=True, eq=False)
class Sentence:
    """The vectors of a sentence, its tokens, and how many of them are real. Shapes: vectors (T, D).

    n_left_out: how many tokens were cut off.
    """

    vectors: Array
    tokens: tuple[str, ...]
    n_real: int
    n_left_out: int = 0


def own_sentence(scenario: Scenario) -> Sentence:
    """The sentence of a scenario as its layer reads it, with the user's own numbers. Raises:
    AttentionError.
    """
    trace, sequence = trace_of(scenario), tokens_of(scenario)
    return Sentence(trace.inputs[0], trace.tokens, sequence.n_real, sequence.n_left_out)


def other_sentence(scenario: Scenario, text: str, n_tokens: int = 0) -> Sentence:
    """Another sentence for the same layer, cut or padded to n_tokens. 0 means its own length, up to
    64.

    Raises: TextError, SettingsError, FileError.

    >>> other_sentence(Scenario(), "It slept", n_tokens=3).tokens
    ('It', 'slept', '[pad]')
    """
    other = replace(resolve(scenario).chosen, text=text, n_tokens=n_tokens, edits="", own="")
    sequence = tokens_of(other)
    return Sentence(
        embedding_of(other).inputs, sequence.tokens, sequence.n_real, sequence.n_left_out
    )


def padded_sentence(scenario: Scenario, padding: int) -> Sentence:
    """The sentence of a scenario, followed by some [pad]. If the controls set the length, the
    sentence stays as it is.

    Raises: AttentionError.
    """
    own = own_sentence(scenario)
    n_tokens = min(MAX_TOKENS, len(own.tokens) + padding)
    if resolve(scenario).chosen.n_tokens or n_tokens == len(own.tokens):
        return own
    padded = other_sentence(scenario, scenario.text, n_tokens)
    vectors_TD = np.concatenate([own.vectors, padded.vectors[len(own.tokens) :]])
    return replace(padded, vectors=vectors_TD)


@dataclass(frozen=True)
class AttentionUse:
    """One use of attention. queries_from: the sequence of the queries. keys_from: the sequence of
    keys and values.

    causal: whether later keys are hidden. The padding among the keys is always hidden.
    """

    key: str
    name: str
    queries_from: str
    keys_from: str
    causal: bool
    description: str


ATTENTION_USES: tuple[AttentionUse, ...] = (
    AttentionUse(
        "encoder",
        "encoder self-attention",
        "source",
        "source",
        False,
        "The source sentence reads itself in both directions. Only its padding is hidden.",
    ),
    AttentionUse(
        "decoder",
        "decoder self-attention",
        "target",
        "target",
        True,
        "The target sentence reads itself, but no token may see a later one: during generation"
        " later tokens do not exist yet.",
    ),
    AttentionUse(
        "cross",
        "cross-attention",
        "target",
        "source",
        False,
        "Each target token reads the whole source sentence. Only the padding of the source is"
        " hidden.",
    ),
)


@cached
def run_three_uses(scenario: Scenario, target: str, padding: int) -> dict[str, Trace]:
    """The layer of a scenario in its three uses, by name. The sentence of the scenario is the
    source.

    padding: the number of [pad] after both sentences. Positions count from the start of each
    sentence, for ALiBi and rotary positions. Raises: AttentionError. Source: Vaswani et
    al. 2017, section 3.2.3.
    """
    own, traces = trace_of(scenario), {}
    length = len(other_sentence(scenario, target).tokens)
    translated = other_sentence(scenario, target, min(MAX_TOKENS, length + padding))
    sentences = {"source": padded_sentence(scenario, padding), "target": translated}
    for use in ATTENTION_USES:
        asking, answering = sentences[use.queries_from], sentences[use.keys_from]
        queries, keys = asking.vectors, answering.vectors
        mask = padding_mask([answering.n_real], len(keys))
        memory = None if asking is answering else keys
        bias = None if own.bias is None else alibi_bias(own.sizes["H"], len(queries), len(keys))
        how = layer_options(own) | {"mask": mask, "bias": bias, "causal": use.causal}
        trace = attend(queries, memory=memory, **how)
        traces[use.key] = trace.labelled(asking.tokens, answering.tokens)
    return traces
