"""The three uses of attention in an encoder-decoder: where queries come from, where keys and values
come from, and which mask belongs there.
"""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.attention import attend
from attention_core.projections import Projections
from attention_core.trace import Trace

from ..cache import cached
from ..scenario import Scenario, trace_of
from ..user_data.matrix_names import MAX_TOKENS
from .hiding import build_masks, combine_masks
from .sentences import Sentence, other_sentence, padded_sentence


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


def attend_as(
    use: AttentionUse,
    source: Sentence,
    target: Sentence,
    projections: Projections,
    residual: bool = True,
    scale: float | None = None,
) -> Trace:
    """Run one of the uses: queries from one sequence, keys and values from the same or the other.

    Raises: ShapeError, SettingsError.
    Source: Vaswani et al. 2017, section 3.2.3.
    """
    asking, answering = (
        {"source": source, "target": target}[role] for role in (use.queries_from, use.keys_from)
    )
    n_queries, n_keys = len(asking.vectors), len(answering.vectors)
    masks = build_masks(n_queries, n_keys, causal=use.causal, lengths=[answering.n_real])
    memory = None if asking is answering else answering.vectors
    trace = attend(
        asking.vectors,
        projections,
        memory=memory,
        mask=combine_masks(masks),
        residual=residual,
        scale=scale,
    )
    return trace.labelled(asking.tokens, answering.tokens)


@cached
def run_three_uses(scenario: Scenario, target: str, padding: int) -> dict[str, Trace]:
    """The layer of a scenario in its three uses, by name. The sentence of the scenario is the
    source.

    padding: the number of [pad] after both sentences. Raises: AttentionError.
    """
    own = trace_of(scenario)
    length = len(other_sentence(scenario, target).tokens)
    translated = other_sentence(scenario, target, min(MAX_TOKENS, length + padding))
    source = padded_sentence(scenario, padding)
    return {
        use.key: attend_as(use, source, translated, own.projections, own.residual, own.scale)
        for use in ATTENTION_USES
    }
