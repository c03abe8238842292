"""What can be proved about the diagonal of each variant on tokens without weights, with a check on
some tokens and what ends it.

Letters as in the propositions S1 to S14: s_ij scaled scores, a_ij shares, τ = √C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attention_core import Trace, attend
from attention_core.checks import Array
from attention_core.formulas import softmax

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
    found = {"pairs of equal tokens": float(alike.sum() // 2), "ties without it": float(before)}
    if np.isfinite(least):
        found["least lead of a token before its equal"] = least
    if excepted.any():
        found["pairs of equal tokens a whole turn apart"] = float(excepted.sum() // 2)
        found["largest difference of their scores"] = tied
    return Checked(least > 0 and tied <= ROUNDING * _size(scores), found)


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
        found = find_variant(variant).run(vectors, strength)
        plain = find_variant("plain").run(vectors, 0)
        least = float((diagonal(found.weights) - diagonal(plain.weights)).min())
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
    found, plain = find_variant("sink").run(vectors, sink), find_variant("plain").run(vectors, 0)
    taken = np.zeros(len(vectors.x)) if found.sink_shares is None else found.sink_shares
    gap = _gap(found.weights, plain.weights * (1 - taken[:, np.newaxis]))
    numbers = {
        "sum of the own shares of the plain head": float(np.trace(plain.weights)),
        "with the sink": float(np.trace(found.weights)),
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
    drawn, found = drawn_vectors(vectors.x), {}
    for variant in map(find_variant, ("plain", "norm", "linear", "delta")):
        rows = variant.run(drawn, variant.usual).rows_on_diagonal
        found[f"{variant.title}: rows that peak on the diagonal"] = float(rows)
    apart, _ = _own_and_other(find_variant("linear").run(drawn, 0).weights, vectors, 1.0)
    found["linear attention: largest distance of an own weight from 1"] = apart
    return Checked(apart > ROUNDING, found)


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


STATEMENTS = (
    Statement(
        "M1",
        "rotary",
        "Rotary positions keep a Gram matrix",
        "The scores are dot products of the turned tokens with each other, and a turn keeps every"
        " length. So all that is proved in S1 to S14 holds with the turned tokens, and no own score"
        " changes. S4 and S5 are false, and stay false. Only distances count: if all positions grow"
        " by the same number, no score changes.",
        r"s_{ij} = \frac{(x_i R_i)\cdot(x_j R_j)}{\tau} = \frac{x_i R_{i-j}\, x_j^{\top}}{\tau},"
        r"\qquad s_{ii} = \frac{\lVert x_i \rVert^2}{\tau}",
        (
            r"$R_i$ turns each pair of features by an angle, so $R_i R_j^{\top} = R_{i-j}$ and"
            r" $R_0 = I$.",
            r"So $s_{ij}$ is the dot product of $x_i R_i$ and $x_j R_j$, divided by $\tau$: a Gram"
            " matrix, whose eigenvalues are never negative.",
        ),
        "Positions that differ between a token's query and its key: with the keys one place later,"
        " the own score of the token (1, 0) with one pair is cos 1 = 0.54 instead of 1.",
        _rotary,
    ),
    Statement(
        "M2",
        "rotary",
        "Rotary positions break the ties of equal words",
        "In plain attention a word that stands in two places gives both the same score. With rotary"
        " positions a token that is not 0 looks at itself more than at its equal elsewhere, unless"
        " each pair in which it is not 0 makes whole turns between the two places. Where the base"
        " is a whole number, no pair does.",
        r"x_i = x_j \neq 0,\; i \neq j \;\Rightarrow\; s_{ij} \le s_{ii},\qquad s_{ij} = s_{ii}"
        r" \;\Leftrightarrow\; (i-j)\,\theta_p \in 2\pi\,\mathbb{Z} \text{ where } x_p \neq 0",
        (
            r"Let $\lvert x_p \rvert$ be the length of pair $p$ and $\theta_p = b^{-2p/C}$. Then"
            r" $\tau\, s_{ij} = \sum_p \lvert x_p \rvert^2 \cos((i-j)\,\theta_p)$.",
            r"A cosine is 1 only where $(i-j)\,\theta_p$ is a multiple of $2\pi$. For a whole"
            r" number $b$ the angle $(i-j)\,\theta_p$ is an algebraic number other than 0, and"
            r" $\pi$ is transcendental: no cosine is 1.",
        ),
        "Whole turns: with two pairs and the base (7/2π)² = 1.2412… a token in the second pair"
        " alone has the same score for its equal seven places away. A token of zeros: all of its"
        " scores are 0. And a slow pair turns so little that a lead may be too small to see: at"
        " base 10,000 the last of 8 pairs turns by 0.0003 in one step.",
        _ties,
    ),
    Statement(
        "M3",
        "alibi",
        "ALiBi can only raise the own share",
        "The distance of a token to itself is 0, so its own score stays, and all others fall.",
        r"a_{ii} = \frac{e^{s_{ii}}}{\sum_k e^{s_{ik} - m\lvert i-k \rvert}} \ge"
        r" \frac{e^{s_{ii}}}{\sum_k e^{s_{ik}}}",
        ("The numerator is the same, and no term of the sum is larger.",),
        "It does not make the row peak at its diagonal: for X = [1, 2, 3] and slope ½ the row of"
        " token 1 has the scores 1, 1.5 and 2.",
        _raised("alibi"),
    ),
    Statement(
        "M4",
        "norm",
        "With QK-norm every token looks most at itself",
        "Queries and keys get the same length, so a scaled score is the gain g times a cosine, and"
        " no cosine is above that of a token with itself: S12 always holds. The gain sets how much:"
        " an own share lies between 1/N and a bound.",
        r"s_{ij} = g \cos(x_i, x_j) \le g = s_{ii},\qquad \frac1N \le a_{ii} \le"
        r" \frac{1}{1 + (N-1)\,e^{-2g}}",
        (
            r"Cosines lie between −1 and 1, and $\cos(x_i, x_i) = 1$.",
            r"Divide $a_{ii}$ by $e^{g}$: the other $N-1$ terms lie between $e^{-2g}$ and 1.",
        ),
        "A gain of its own for each feature: with the gains 2 and ½ for queries and keys, the token"
        " (0.6, 0.8) has the score 2.4 with (1, 0), and 1.6 with itself (both times τ).",
        _norm,
    ),
    Statement(
        "M5",
        "softcap",
        "A soft cap keeps the order of a row",
        "The cap bends all scores by the same rising curve, so what was largest stays largest; S9"
        " to S12 still say where a row peaks. The differences shrink, and so does the lead of the"
        " largest share.",
        r"s_{ij} \le s_{ik} \;\Leftrightarrow\; c\tanh\frac{s_{ij}}{c} \le c\tanh\frac{s_{ik}}{c}",
        (
            "tanh rises everywhere. Its slope is at most 1, so two capped scores are never further"
            " apart than before.",
        ),
        "The Gram matrix: of X = [0, 1, 3] with the cap 1 the capped scores have a negative"
        " eigenvalue, so S1 and S13 are no longer proved.",
        _softcap,
    ),
    Statement(
        "M6",
        "sink",
        "A sink keeps the order, but not the sum",
        "The sink takes its share from each row, and all shares of a row shrink by the same factor."
        " Where a row peaks does not change; but rows sum to less than 1, so the own shares may sum"
        " to less than 1, too, which S13 excludes without a sink.",
        r"a'_{ij} = (1 - \sigma_i)\, a_{ij},\qquad \sigma_i = \frac{e^{z}}{e^{z} + \sum_k"
        r" e^{s_{ik}}}",
        ("The sum below the fraction grows from $Z_i$ to $Z_i + e^z$, the same for all $j$.",),
        "S13, trace(A) ≥ 1: for X = [1, 2, 3] and the sink 10 the own shares sum to 0.27.",
        _sink,
    ),
    Statement(
        "M7",
        "window",
        "A window can only raise the own share",
        "The token itself is never outside its window, and hidden scores leave the sum. The same"
        " holds for every mask that lets a token see itself, such as the causal one.",
        r"a_{ii} = \frac{e^{s_{ii}}}{\sum_{\lvert i-k \rvert \le w} e^{s_{ik}}} \ge"
        r" \frac{e^{s_{ii}}}{\sum_k e^{s_{ik}}}",
        ("The numerator is the same, and the sum has fewer terms.",),
        "It does not make the row peak at its diagonal: for X = [1, 2] each token still prefers"
        " token 2 within a window of 1.",
        _raised("window"),
    ),
    Statement(
        "M8",
        "linear",
        "Linear attention with unit keys: the own weight is 1",
        "Without a softmax a weight is the cosine of two tokens, for tokens so far. The own weight"
        " is 1 for every token that is not 0, and no other is larger: S12 without a softmax.",
        r"o_i = \sum_{j \le i} (k_i \cdot k_j)\, v_j,\qquad a_{ii} = 1,\quad \lvert a_{ij} \rvert"
        r" \le 1",
        ("The dot product of two vectors of length 1 is their cosine.",),
        "Keys of other lengths: for X = [2, 1] token 2 has the weight 2 for token 1, and 1 for"
        " itself.",
        _linear,
    ),
    Statement(
        "M9",
        "delta",
        "The delta rule with unit keys: the own weight is exactly β",
        "Whatever the tokens are, each that is not 0 keeps exactly β of its own value, and no other"
        " weight is above β(1 − β). At β = 1 the layer returns its input, whatever its state"
        " holds.",
        r"A = I - (1-\beta)\,(I + \beta N)^{-1},\qquad N_{ij} = k_i \cdot k_j \text{ for } j < i",
        (
            r"A token reads $k_i^{\top} S$ and changes the state by $\beta\, k_i u_i^{\top}$ with"
            r" $u_i = v_i - S^{\top} k_i$. So $S = \beta \sum_{j<i} k_j u_j^{\top}$ and"
            r" $u = (I + \beta N)^{-1} v$.",
            r"It then reads $o = \beta (I + N)\, u$. As $\beta (I + N) = (I + \beta N) - (1-\beta)"
            r" I$, this is $A v$ with the $A$ above.",
            r"The inverse of a triangular matrix with ones on its diagonal has ones there:"
            r" $a_{ii} = 1 - (1-\beta) = \beta$.",
            r"For $j < i$: $a_{ij} = (1-\beta)\,\beta\; k_i^{\top} \prod_m (I - \beta k_m"
            r" k_m^{\top})\, k_j$. No factor makes a vector longer.",
        ),
        "Keys of other lengths, or queries that are not the keys (M10). A decay of the state"
        " changes N, but not the diagonal.",
        _delta,
    ),
    Statement(
        "M10",
        "delta",
        "Queries that are not keys end it, in every variant",
        "It is W_Q and W_K that let a token look elsewhere. With two matrices that have nothing to"
        " do with each other, no variant prefers the diagonal by itself: neither plain attention"
        " nor the layers of today.",
        r"s_{ij} = \tfrac1\tau\, x_i W_Q W_K^{\top} x_j^{\top},\qquad o_t = S_t^{\top} q_t",
        (
            r"Of the own score only the symmetric part of $W_Q W_K^{\top}$ is left. For independent"
            " matrices its mean is 0, so an own score is as often below 0 as above.",
            r"In linear attention and the delta rule the own weight is $q_i \cdot k_i$ and $\beta\,"
            r" q_i \cdot k_i$: no longer 1 and β.",
        ),
        "Tied weights, W_K = W_Q: then all statements hold for the queries instead of the tokens.",
        _drawn,
    ),
)
