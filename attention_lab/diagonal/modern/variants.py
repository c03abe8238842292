"""The variants of attention that today's models use, each on the same tokens: how much every token
looks at itself. Their words and numbers are rows of `assets/data/variants.csv`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_core import HeadNorm, Projections, Rotary, Trace, alibi_bias, attend, window_mask
from attention_core.checks import Array
from attention_core.initialisation import Stream, generator

from ...home import read_table
from ...words.numbers import Count
from ..measures import diagonal, diagonal_margins
from .delta_rule import DeltaRule, delta_weights, unit_vectors


@dataclass(frozen=True, eq=False)
class Looks:
    """Where every token looks. Shapes: weights (T, T); scores (T, T), -inf where hidden, or None
    without a softmax; sink_shares (T,), or None.

    The weights of a softmax are shares; without one they may be negative and need not sum to 1.
    """

    weights: Array
    scores: Array | None = None
    sink: float | None = None
    sink_shares: Array | None = None

    @property
    def compared(self) -> Array:
        """What decides which key a row prefers: the scores, or the weights. Shapes: (T, T)."""
        if self.scores is not None:
            return self.scores
        hidden = np.triu(np.ones(self.weights.shape, dtype=bool), 1)
        return np.where(hidden, -np.inf, self.weights)

    @property
    def rows_on_diagonal(self) -> int:
        """How many tokens look at no other token more than at themselves."""
        return int((diagonal_margins(self.compared) >= 0).sum())

    @property
    def ties(self) -> int:
        """How many tokens look at another one as much as at themselves, and at none more."""
        return int((diagonal_margins(self.compared) == 0).sum())

    @property
    def own_weight(self) -> float:
        """The weight of a token for itself, on average."""
        return float(diagonal(self.weights).mean())


@dataclass(frozen=True)
class Vectors:
    """What a variant compares. Shapes: x (T, D), queries and keys (T, K). weights: those that made
    queries and keys.
    """

    x: Array
    projections: Projections

    @property
    def present(self) -> Array:
        """Which tokens are not 0. Shapes: (T,) bool."""
        return np.asarray(self.x.any(axis=-1))

    @property
    def queries(self) -> Array:
        """The queries of the one head."""
        return np.asarray(self.x @ self.projections.w_q)

    @property
    def keys(self) -> Array:
        """The keys of the one head."""
        return np.asarray(self.x @ self.projections.w_k)


Run = Callable[[Vectors, float], Looks]


@dataclass(frozen=True)
class Variant:
    """One variant. strength: the name of its number, "" if it has none; choices, usual: its values.

    run: where the tokens look, for a strength.
    """

    key: str
    title: str
    description: str
    run: Run
    strength: str
    choices: tuple[float, ...]
    usual: float


def weightless_vectors(x_TD: Array) -> Vectors:
    """Tokens that are their own queries and keys. Shapes: (T, D)."""
    return Vectors(x_TD, Projections.weightless(x_TD.shape[1]))


def drawn_vectors(x_TD: Array, seed: int = 0) -> Vectors:
    """Queries and keys by two matrices that have nothing to do with each other. Shapes: (T, D)."""
    width = x_TD.shape[1]
    rng = generator(seed, Stream.MEASURED_WEIGHTS)
    w_q, w_k = rng.standard_normal((2, width, width)) / np.sqrt(width)
    return Vectors(x_TD, replace(Projections.weightless(width), w_q=w_q, w_k=w_k))


def _looks(trace: Trace) -> Looks:
    shares = None if trace.sink_share is None else trace.sink_share[0, 0]
    sink = None if trace.sink is None else float(trace.sink[0])
    return Looks(trace.probabilities[0, 0], trace.masked_scores[0, 0], sink, shares)


def plain_trace(vectors: Vectors) -> Trace:
    """The plain head: softmax of the scaled scores."""
    return attend(vectors.x, vectors.projections)


def rotary_trace(vectors: Vectors, base: float, start: int = 0) -> Trace:
    """The head with rotary positions; a feature of zeros is added where their number is odd, which
    changes no other score.
    """
    p, scale = vectors.projections, 1 / np.sqrt(vectors.projections.d_k)
    if p.d_k % 2:
        w_q, w_k = (np.pad(matrix, ((0, 0), (0, 1))) for matrix in (p.w_q, p.w_k))
        p = replace(p, w_q=w_q, w_k=w_k)
    return attend(vectors.x, p, rotary=Rotary(base, start=start), scale=scale)


def norm_trace(vectors: Vectors, gain: float) -> Trace:
    """The head with QK-norm, so that a scaled score is gain times cosine."""
    each = np.sqrt(gain / np.sqrt(vectors.projections.d_k))
    return attend(vectors.x, vectors.projections, head_norm=HeadNorm(each, each, epsilon=1e-12))


def _alibi(vectors: Vectors, slope: float) -> Looks:
    # The bias of one head has the slope 1/256.
    bias = alibi_bias(1, len(vectors.x)) * 256 * slope
    return _looks(attend(vectors.x, vectors.projections, bias=bias))


def _window(vectors: Vectors, width: float) -> Looks:
    mask = window_mask(len(vectors.x), len(vectors.x), left=int(width), right=int(width))
    return _looks(attend(vectors.x, vectors.projections, mask=mask))


def _linear(vectors: Vectors, _: float) -> Looks:
    return Looks(np.tril(unit_vectors(vectors.queries) @ unit_vectors(vectors.keys).T))


def _delta(vectors: Vectors, beta: float) -> Looks:
    queries, keys = unit_vectors(vectors.queries), unit_vectors(vectors.keys)
    return Looks(delta_weights(queries, keys, DeltaRule(beta)))


_RUNS: Mapping[str, Run] = {
    "plain": lambda vectors, _: _looks(plain_trace(vectors)),
    "rotary": lambda vectors, base: _looks(rotary_trace(vectors, base)),
    "alibi": _alibi,
    "norm": lambda vectors, gain: _looks(norm_trace(vectors, gain)),
    "softcap": lambda vectors, cap: _looks(attend(vectors.x, vectors.projections, softcap=cap)),
    "sink": lambda vectors, sink: _looks(attend(vectors.x, vectors.projections, sink=sink)),
    "window": _window,
    "linear": _linear,
    "delta": _delta,
}
VARIANTS = tuple(
    Variant(
        run=_RUNS[row["key"]],
        choices=tuple(map(float, row.pop("choices").split())),
        usual=float(row.pop("usual")),
        **row,
    )
    for row in read_table("variants")
)


@dataclass(frozen=True)
class RowCounts:
    """In which variants, beside plain attention, most and fewest rows peak on the diagonal.

    plain, ties: the rows of plain attention, and those of them that tie. most_in, fewest_in: the
    titles of all variants with this number. If all have as many, there is `most` alone: the others
    are None or empty.
    """

    plain: Count
    ties: Count
    most: Count
    most_in: tuple[str, ...] = ()
    fewest: Count | None = None
    fewest_in: tuple[str, ...] = ()


def count_rows(runs: Sequence[tuple[Variant, Looks]]) -> RowCounts:
    """The counts of variants on the same tokens; the first is plain attention."""
    (_, plain), *others = runs
    rows = {one.title: looks.rows_on_diagonal for one, looks in others}
    most, fewest = Count(max(rows.values())), Count(min(rows.values()))
    most_in, fewest_in = (
        tuple(title for title, number in rows.items() if number == wanted)
        for wanted in (most, fewest)
    )
    ends = (most,) if most == fewest else (most, most_in, fewest, fewest_in)
    return RowCounts(Count(plain.rows_on_diagonal), Count(plain.ties), *ends)


def find_variant(key: str) -> Variant:
    """The variant of a key."""
    return next(one for one in VARIANTS if one.key == key)
