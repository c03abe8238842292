"""The experiments of the mask workshop: numbers that hide a key, scale before or after the mask,
empty rows, other padding.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import mask_scores
from attention_core.initialisation import Stream, generator
from attention_core.trace import Trace

from ..heads.reruns import rerun
from ..words.numbers import format_decimals
from .hiding import FINITE, HIDING_VALUES, MaskOrder, compare_orders, hide_with, leaked_share
from .mask_workshop import MaskedBatch


@dataclass(frozen=True, eq=False)
class HidingEffect:
    """The effect of one number that hides keys, in a head of one sequence.

    shares: the probabilities, (T, T). leaked: what each query reads from hidden keys, (T,).
    largest_leak: the largest of these among queries that may see a key. empty_row: the shares of
    one query from which every key is hidden, in float64 and in float32, (T,) each.
    """

    name: str
    shares: Array
    leaked: Array
    largest_leak: float
    empty_row: tuple[Array, Array]


def hiding_effects(
    masked: MaskedBatch, sequence: int, head: int, query: int, bias: float
) -> tuple[HidingEffect, ...]:
    """Minus infinity, −10⁹ and a finite bias, each added to the scores that the masks hide."""
    trace, allowed_TS = masked.trace, masked.allowed[sequence]
    logits_TS = mask_scores(trace.scaled_scores, None, trace.bias)[sequence, head]
    sink = None if trace.sink is None else float(trace.sink[head])
    seeing_T, nothing_S = allowed_TS.any(axis=-1), np.zeros(allowed_TS.shape[1], dtype=bool)
    effects = []
    for name, value in hiding_values(bias).items():
        shares_TS = hide_with(value, logits_TS, allowed_TS, sink)
        leaked_T = leaked_share(shares_TS, allowed_TS)
        double, single = (
            hide_with(value, logits_TS[[query]].astype(kind), nothing_S, sink)[0]
            for kind in (np.float64, np.float32)
        )
        largest = float(leaked_T[seeing_T].max(initial=0.0))
        effects.append(HidingEffect(name, shares_TS, leaked_T, largest, (double, single)))
    return tuple(effects)


def compare_all_orders(
    masked: MaskedBatch, sequence: int, head: int, bias: float
) -> dict[str, MaskOrder]:
    """The mask after the scale and before it, for each number that hides keys. Raises:
    SettingsError.
    """
    scores_TS, allowed_TS = masked.trace.scores[sequence, head], masked.allowed[sequence]
    return {
        name: compare_orders(scores_TS, masked.trace.scale, np.where(allowed_TS, 0.0, value))
        for name, value in hiding_values(bias).items()
    }


def hiding_values(bias: float) -> dict[str, float]:
    """The numbers that are added to a score to hide a key, by name, with the given finite bias.

    >>> list(hiding_values(-4.0))
    ['−∞', '−10⁹', '−4.0']
    """
    masks = {name: value for name, (value, _) in HIDING_VALUES.items() if name != FINITE}
    return masks | {format_decimals(bias, 1): bias}


@dataclass(frozen=True, eq=False)
class EmptyRow:
    """The batch with every key hidden from one query: with zeros for its shares (as in this app),
    and with NaN (as in torch.softmax).

    nan_shares, nan_outputs, nan_tokens: with NaN, the numbers of NaN among the query's shares and
    in the sequence's output, and the number of tokens with NaN there. nan_here: the number of NaN
    in the output with zeros.
    """

    zero: Trace
    nan_here: int
    nan_shares: int
    nan_outputs: int
    nan_tokens: int


def hide_all_keys(masked: MaskedBatch, sequence: int, head: int, query: int) -> EmptyRow:
    """Hide every key from one query, in all sequences and heads."""
    allowed_BTS = masked.allowed.copy()
    allowed_BTS[:, query] = False
    zero, nan = (
        rerun(masked.trace, mask=allowed_BTS[:, np.newaxis], empty_rows=empty_rows)
        for empty_rows in ("zero", "nan")
    )
    n_shares = int(np.isnan(nan.probabilities[sequence, head, query]).sum())
    nan_here, nan_outputs = (int(np.isnan(trace.output[sequence]).sum()) for trace in (zero, nan))
    nan_tokens = int(np.isnan(nan.output[sequence]).any(axis=-1).sum())
    return EmptyRow(zero, nan_here, n_shares, nan_outputs, nan_tokens)


@dataclass(frozen=True, eq=False)
class OtherPadding:
    """The batch with other [pad] vectors, and how far the output of one sequence moved at most: at
    real tokens and at [pad]. n_seeing: real tokens that may see a [pad].
    """

    changed: Trace
    real: float
    padded: float
    n_seeing: int


def replace_padding(masked: MaskedBatch, sequence: int) -> OtherPadding:
    """Replace the [pad] vectors of all sequences by random numbers."""
    inputs_BTD = masked.trace.inputs.copy()
    rng = generator(0, Stream.PADDING)
    for vectors, sentence in zip(inputs_BTD, masked.sentences, strict=True):
        padding = vectors[sentence.n_real :]
        padding[:] = 3 * rng.standard_normal(padding.shape)
    changed = rerun(masked.trace, x=inputs_BTD)
    moved_T = np.abs(changed.output[sequence] - masked.trace.output[sequence]).max(axis=-1)
    n_real = masked.sentences[sequence].n_real
    real, padded = (float(part.max(initial=0.0)) for part in (moved_T[:n_real], moved_T[n_real:]))
    n_seeing = int(masked.allowed[sequence, :n_real, n_real:].any(axis=-1).sum())
    return OtherPadding(changed, real, padded, n_seeing)
