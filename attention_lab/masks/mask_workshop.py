"""The mask workshop: several sentences in one batch, under any combination of masks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_core.attention import attend
from attention_core.checks import Array
from attention_core.trace import Trace

from ..cache import cached
from ..scenario import Scenario, trace_of
from ..user_data.painted_masks import painted_mask
from .hiding import build_masks, combine_masks
from .sentences import other_sentence, own_sentence

WORKSHOP_MASKS = ("causal", "padding", "window", "painted")


@dataclass(frozen=True)
class WorkshopChoices:
    """The choices: sentences besides that of the scenario, masks by name, the window in tokens to
    each side, a painted mask as text.
    """

    others: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    window: int = 2
    painted: str = ""


@dataclass(frozen=True, eq=False)
class SentenceBatch:
    """Sentences of one length. Shapes: inputs (B, T, D); tokens B tuples of T; lengths and left_out
    B.

    lengths: the number of real tokens of each. left_out: the number of tokens cut off from each.
    """

    inputs: Array
    tokens: tuple[tuple[str, ...], ...]
    lengths: tuple[int, ...]
    left_out: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class MaskedBatch:
    """The batch, its masks by name, what they allow together, and the layer run on the batch.
    Shapes: allowed (B, T, T).
    """

    batch: SentenceBatch
    masks: Mapping[str, Array]
    allowed: Array
    trace: Trace


@cached
def masked_batch(scenario: Scenario, workshop: WorkshopChoices) -> MaskedBatch:
    """The layer of a scenario on its own sentence and on others, all cut or padded to the length of
    its sequence.

    The masks of the workshop replace that of the scenario. Raises: AttentionError.
    """
    own = trace_of(scenario)
    n_tokens = own.inputs.shape[1]
    sentences = [
        own_sentence(scenario),
        *(other_sentence(scenario, text, n_tokens) for text in workshop.others),
    ]
    batch = SentenceBatch(
        np.stack([sentence.vectors for sentence in sentences]),
        tuple(sentence.tokens for sentence in sentences),
        tuple(sentence.n_real for sentence in sentences),
        tuple(sentence.n_left_out for sentence in sentences),
    )
    chosen = set(workshop.masks)
    masks = build_masks(
        n_tokens,
        n_tokens,
        causal="causal" in chosen,
        window=workshop.window if "window" in chosen else None,
        lengths=batch.lengths if "padding" in chosen else None,
        painted=painted_mask(workshop.painted, n_tokens) if "painted" in chosen else None,
    )
    mask = combine_masks(masks)
    trace = attend(batch.inputs, own.projections, mask=mask, scale=own.scale, residual=own.residual)
    return MaskedBatch(batch, masks, _per_sequence(mask, trace), trace)


def hide_row(painted_TT: Array, query: int) -> Array:
    """The painted mask with every key hidden from one query. Shapes: (T, T) bool."""
    emptied_TT = painted_TT.copy()
    emptied_TT[query] = False
    return emptied_TT


def _per_sequence(mask: Array | None, trace: Trace) -> Array:
    n_batch, _, n_queries, n_keys = trace.scores.shape
    allowed = np.True_ if mask is None else mask
    allowed_BTS: Array = np.broadcast_to(allowed, (n_batch, 1, n_queries, n_keys))[:, 0]
    return allowed_BTS
