"""What can be proved about the diagonal of each variant on tokens without weights, with a check on
some tokens and what ends it; their words are rows of `assets/data/statements.csv`.

Letters as in the propositions S1 to S14: s_ij scaled scores, a_ij shares, τ = √C.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attention_core import Trace, attend
from attention_core.checks import Array
from attention_core.formulas import softmax

from ...home import read_table
from ..measures import diagonal, diagonal_margins
from ..propositions.catalogue import FALSE, PROPOSITIONS
from ..propositions.checks import UnmaskedAttention
from .delta_rule import DeltaRule, closed_form, corrections, delta_weights, unit_vectors
from .variants import Vectors, drawn_vectors, find_variant, norm_trace, plain_trace, rotary_trace

ROUNDING = 1e-9
SHIFT = 1000  # positions, for the check that a shift moves nothing


@dataclass(frozen=True)
class Checked:
    """Whether a statement holds for some tokens, and its numbers: what each is, and how large."""

    holds: bool
    numbers: Mapping[str, float]


@dataclass(frozen=True)
class Statement:
    """A statement about one variant, by the variant's key. ends: what ends it, with an example.

    proof: its lines, with LaTeX between dollars. check: on tokens without weights, for a strength.
    """

    number: str
    variant: str
    title: str
    statement: str
    latex: str
    proof: tuple[str, ...]
    ends: str
    check: Callable[[Vectors, float], Checked]


def _rotary(vectors: Vectors, base: float) -> Checked:
    plain, here = plain_trace(vectors), rotary_trace(vectors, base)
    there = rotary_trace(vectors, base, SHIFT)
    scores, size = here.scaled_scores[0, 0], _size(plain.scaled_scores)
    own = np.abs(diagonal(scores) - diagonal(plain.scaled_scores[0, 0])).max()
    least = float(np.linalg.eigvalsh((scores + scores.T) / 2)[0])
    moved = np.abs(there.scaled_scores - here.scaled_scores).max()
    turned = UnmaskedAttention(_turned(here), scores, softmax(scores), here.scale)
    broken = [one for one in PROPOSITIONS if not one.verify(turned).holds]
    proved = [one for one in broken if one.status != FALSE]
    holds = max(own, -least) <= ROUNDING * size and moved <= SHIFT * ROUNDING * size
    holds = bool(holds and not proved)
    numbers = {
        "propositions that are proved, and that the turned tokens violate": float(len(proved)),
        "of the false ones, S4 and S5, violated": float(len(broken) - len(proved)),
        "largest change of an own score": float(own),
        "smallest eigenvalue of the scores": least,
        f"change of a score when all positions grow by {SHIFT}": float(moved),
    }
    return Checked(holds, numbers)


def _turned(trace: Trace) -> Array:
    """The turned tokens of the one head. Shapes: (T, K)."""
    turned_TK: Array = np.asarray(trace.turned_queries)[0, 0]
    return turned_TK


def _ties(vectors: Vectors, base: float) -> Checked:
    alike = (vectors.x[:, np.newaxis] == vectors.x).all(axis=-1) & vectors.present
    np.fill_diagonal(alike, False)
    excepted = alike & _whole_turns(vectors.x, base)
    scores = rotary_trace(vectors, base).scaled_scores[0, 0]
    lead = diagonal(scores)[:, np.newaxis] - scores
    least = float(np.where(alike & ~excepted, lead, np.inf).min(initial=np.inf))
    tied = float(np.where(excepted, np.abs(lead), 0.0).max(initial=0.0))
    before = find_variant("plain").run(vectors, 0.0).ties
    numbers = {"pairs of equal tokens": float(alike.sum() // 2), "ties without it": float(before)}
    if np.isfinite(least):
        numbers["least lead of a token before its equal"] = least
    if excepted.any():
        numbers["pairs of equal tokens a whole turn apart"] = float(excepted.sum() // 2)
        numbers["largest difference of their scores"] = tied
    return Checked(least > 0 and tied <= ROUNDING * _size(scores), numbers)


def _whole_turns(x_TD: Array, base: float) -> Array:
    """Whether every pair of features in which a token is not 0 makes whole turns, and at least one,
    on the way to another place. Shapes: (T, D) -> (T, T).
    """
    n_tokens, width = len(x_TD), x_TD.shape[1] + x_TD.shape[1] % 2
    angles_P = base ** (-np.arange(0, width, 2) / width)
    place_T = np.arange(n_tokens)
    turns_TTP = np.abs(place_T[:, np.newaxis] - place_T)[..., np.newaxis] * angles_P / (2 * np.pi)
    whole_TTP = (turns_TTP > 0.5) & (np.abs(turns_TTP - np.rint(turns_TTP)) <= ROUNDING)
    padded_TD = np.pad(x_TD, ((0, 0), (0, width - x_TD.shape[1])))
    is_zero_TP: Array = (padded_TD.reshape(n_tokens, -1, 2) == 0).all(axis=-1)
    apart_TT: Array = (whole_TTP | is_zero_TP[:, np.newaxis]).all(axis=-1)
    return apart_TT


def _raised(variant: str) -> Callable[[Vectors, float], Checked]:
    """The own share of every token is at least that of the plain head."""

    def check(vectors: Vectors, strength: float) -> Checked:
        raised = find_variant(variant).run(vectors, strength)
        plain = find_variant("plain").run(vectors, 0)
        least = float((diagonal(raised.weights) - diagonal(plain.weights)).min())
        return Checked(least >= -ROUNDING, {"least gain of an own share": least})

    return check


def _norm(vectors: Vectors, gain: float) -> Checked:
    trace = norm_trace(vectors, gain)
    margins = diagonal_margins(trace.masked_scores[0, 0])
    own, n_tokens = diagonal(trace.probabilities[0, 0]), len(vectors.x)
    bound = 1 / (1 + (n_tokens - 1) * np.exp(-2 * gain))
    squares = np.square(vectors.x).mean(axis=-1)
    # The epsilon makes short vectors a little shorter than the others.
    epsilon = trace.head_norm.epsilon if trace.head_norm else 0.0
    slack = ROUNDING + gain * epsilon / float(squares[squares > 0].min(initial=1.0))
    holds = margins.min() >= -slack and own.min() >= 1 / n_tokens - slack
    numbers = {
        "1/N": 1 / n_tokens,
        "smallest own share": float(own.min()),
        "largest own share": float(own.max()),
        "its bound": float(bound),
    }
    return Checked(bool(holds and own.max() <= bound + slack), numbers)


def _softcap(vectors: Vectors, cap: float) -> Checked:
    scores = plain_trace(vectors).scaled_scores[0, 0]
    capped = attend(vectors.x, vectors.projections, softcap=cap).scaled_scores[0, 0]
    order = np.argsort(scores, axis=-1)
    steps = np.diff(np.take_along_axis(capped, order, axis=-1), axis=-1)
    least, largest = float(steps.min(initial=0.0)), float(np.abs(capped).max())
    numbers = {"largest score": float(np.abs(scores).max()), "largest capped score": largest}
    return Checked(least >= -ROUNDING and largest <= cap, numbers)


def _sink(vectors: Vectors, sink: float) -> Checked:
    sink_run, plain = find_variant("sink").run(vectors, sink), find_variant("plain").run(vectors, 0)
    taken = np.zeros(len(vectors.x)) if sink_run.sink_shares is None else sink_run.sink_shares
    gap = _gap(sink_run.weights, plain.weights * (1 - taken[:, np.newaxis]))
    numbers = {
        "sum of the own shares of the plain head": float(np.trace(plain.weights)),
        "with the sink": float(np.trace(sink_run.weights)),
        "largest share of the sink": float(taken.max()),
    }
    return Checked(gap <= ROUNDING, numbers)


def _linear(vectors: Vectors, _: float) -> Checked:
    apart, other = _own_and_other(find_variant("linear").run(vectors, 0).weights, vectors, 1.0)
    numbers = {"largest distance of an own weight from 1": apart, "largest other weight": other}
    return Checked(apart <= ROUNDING and other <= 1 + ROUNDING, numbers)


def _delta(vectors: Vectors, beta: float) -> Checked:
    keys, rule = unit_vectors(vectors.keys), DeltaRule(beta)
    weights = delta_weights(keys, keys, rule)
    stepwise = np.array([step.output for step in corrections(keys, keys, vectors.x, rule)])
    own, other = _own_and_other(weights, vectors, beta)
    apart, bound = _gap(weights @ vectors.x, stepwise), beta * (1 - beta)
    if vectors.present.all():  # the inverse form counts a key of zeros as one of length 1
        apart = max(apart, _gap(weights, closed_form(keys, rule)))
    numbers = {
        "largest distance of an own weight from β": own,
        "largest other weight": other,
        "its bound β(1 − β)": bound,
        "difference between the three forms": apart,
    }
    holds = own <= ROUNDING and other <= bound + ROUNDING
    return Checked(holds and apart <= ROUNDING * _size(vectors.x), numbers)


def _drawn(vectors: Vectors, _: float) -> Checked:
    """With queries that are not keys, the exact own weights of linear attention and the delta rule
    are gone; how many rows still peak on the diagonal is a matter of chance.
    """
    drawn, numbers = drawn_vectors(vectors.x), {}
    for variant in map(find_variant, ("plain", "norm", "linear", "delta")):
        rows = variant.run(drawn, variant.usual).rows_on_diagonal
        numbers[f"{variant.title}: rows that peak on the diagonal"] = float(rows)
    apart, _ = _own_and_other(find_variant("linear").run(drawn, 0).weights, vectors, 1.0)
    numbers["linear attention: largest distance of an own weight from 1"] = apart
    return Checked(apart > ROUNDING, numbers)


def _own_and_other(weights_TT: Array, vectors: Vectors, expected: float) -> tuple[float, float]:
    """How far the own weight of any token that is not 0 is from the expected one, and the largest
    other weight.
    """
    own_T = diagonal(weights_TT)
    apart = np.abs(own_T[vectors.present] - expected).max(initial=0.0)
    return float(apart), float(np.abs(weights_TT - np.diag(own_T)).max())


def _gap(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max())


def _size(array: Array) -> float:
    return max(1.0, float(np.abs(array).max()))


_CHECKS: Mapping[str, Callable[[Vectors, float], Checked]] = {
    "M1": _rotary,
    "M2": _ties,
    "M3": _raised("alibi"),
    "M4": _norm,
    "M5": _softcap,
    "M6": _sink,
    "M7": _raised("window"),
    "M8": _linear,
    "M9": _delta,
    "M10": _drawn,
}
STATEMENTS = tuple(
    Statement(check=_CHECKS[row["number"]], proof=tuple(row.pop("proof").splitlines()), **row)
    for row in read_table("statements")
)
