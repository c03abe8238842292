"""The propositions S1 to S14 about the diagonal of attention without weights.

The scores are s_ij = x_i·x_j/τ with τ = √d, Z_i is the sum of exp s_ik over k, and a_ij =
exp(s_ij)/Z_i. With tied weights all of them hold for the queries x W instead of the tokens.
S4 and S5 are claims of the slides; the others say what is true instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from . import checks
from .checks import PropositionCheck, UnmaskedAttention, weightless_attention

THEOREM, FALSE, CONDITION = "theorem", "false", "condition"


@dataclass(frozen=True)
class Proposition:
    """One proposition. statement: in words; latex: as a formula; condition: what it needs, if
    anything.

    proof: its lines, with LaTeX between dollars. For a false proposition it is the usual argument,
    and `failing_step` is the step that does not hold. verify: the check on some tokens.
    """

    number: str
    title: str
    statement: str
    latex: str
    status: str
    proof: tuple[str, ...]
    verify: Callable[[UnmaskedAttention], PropositionCheck]
    condition: str = ""
    failing_step: str = ""

    def check(self, x: ArrayLike, scale: float | None = None) -> PropositionCheck:
        """The result for attention without weights over some tokens. Shapes: x (T, D). Raises:
        AttentionError.

        >>> from attention_lab.diagonal.propositions.catalogue import find_proposition
        >>> verdict = find_proposition("S4").check([[1.0], [2.0], [3.0]])
        >>> verdict.holds, round(verdict.excess, 4), verdict.where
        (False, 0.1274, (0, 1))
        """
        return self.verify(weightless_attention(x, scale))


PROPOSITIONS = (
    Proposition(
        "S1",
        "A score is bounded by the diagonal scores",
        "The score of two tokens is the mean of their diagonal scores minus a multiple of their"
        " squared distance. So it never exceeds the larger of the two diagonal scores.",
        r"s_{ij} = \tfrac12 (s_{ii} + s_{jj}) - \tfrac1{2\tau} \lVert x_i - x_j \rVert^2 \le"
        r" \max(s_{ii}, s_{jj})",
        THEOREM,
        (
            (
                r"$\lVert x_i - x_j \rVert^2 = \lVert x_i \rVert^2 + \lVert x_j \rVert^2 - 2\, x_i"
                r" \cdot x_j$."
            ),
            r"Solve for $x_i \cdot x_j$ and divide by $\tau$. A squared distance is never"
            " negative, and the mean of two numbers never exceeds the larger one.",
        ),
        checks.verify_identity_of_scores,
    ),
    Proposition(
        "S2",
        "The exponential of a score is bounded in the same way",
        "The exponential function keeps the order of numbers. So the bound holds for the"
        " exponentials of the scores, before the softmax divides them. The check divides all"
        " exponentials by the largest one.",
        r"e^{s_{ij}} \le \max(e^{s_{ii}}, e^{s_{jj}})",
        THEOREM,
        (r"S1, and $e^{u} \le e^{v}$ whenever $u \le v$.",),
        checks.verify_bound_of_exponentials,
    ),
    Proposition(
        "S3",
        "One common divisor keeps the bound",
        "If one softmax ran over all N² scores together, no cell would exceed both diagonal cells"
        " of its pair.",
        r"p_{ij} = \frac{e^{s_{ij}}}{\sum_{kl} e^{s_{kl}}} \le \sqrt{p_{ii}\,p_{jj}} \le"
        r" \max(p_{ii}, p_{jj})",
        THEOREM,
        (
            r"By S1 $e^{s_{ij}} \le e^{(s_{ii} + s_{jj})/2} = \sqrt{e^{s_{ii}}\, e^{s_{jj}}}$.",
            "Divide by the sum of all exponentials, which is the same for all three cells.",
        ),
        checks.verify_one_normaliser,
    ),
    Proposition(
        "S4",
        "The pair bound after the softmax of each row",
        "No probability exceeds both diagonal probabilities of its pair.",
        r"a_{ij} \le \max(a_{ii}, a_{jj})",
        FALSE,
        (
            r"By S1 $s_{ij} \le \max(s_{ii}, s_{jj})$.",
            r"Softmax preserves order, so $a_{ij} \le \max(a_{ii}, a_{jj})$.",
        ),
        checks.verify_pair_bound,
        condition=(
            "It holds for N = 2 (S6), for equal norms (S12) and with one common divisor (S3)."
        ),
        failing_step=(
            "The second line. Softmax preserves order only inside a row, whose cells have the same"
            " divisor. $a_{jj}$ is in row $j$ and is divided by $Z_j$, not by $Z_i$. If"
            r" $s_{ij} > s_{ii}$, the bound fails exactly when $\log Z_j - \log Z_i > s_{jj} -"
            " s_{ij}$."
        ),
    ),
    Proposition(
        "S5",
        "The diagonal is always the greatest",
        "Every token looks at itself more than at any other.",
        r"a_{ii} > a_{ij} \text{ for all } j \ne i",
        FALSE,
        (
            r"$x_i \cdot x_i$ is the similarity of a token to itself.",
            "Nothing is more similar to a token than the token itself.",
        ),
        checks.verify_greatest_diagonal,
        condition=(
            "It holds for different tokens of equal norm (S12), and for the longest token except"
            " for ties (S10)."
        ),
        failing_step=(
            "The second line. A dot product is not a similarity. A long token scores more with"
            r" $x_i$ than $x_i$ itself if $x_i \cdot x_j > \lVert x_i \rVert^2$. Example: for X ="
            " [1, 2], row 0 is (0.2689, 0.7311)."
        ),
    ),
    Proposition(
        "S6",
        "The pair bound in a sequence of two tokens",
        "In a sequence of two tokens, no probability exceeds both diagonal probabilities.",
        r"N = 2:\quad a_{12} \le \max(a_{11}, a_{22})",
        CONDITION,
        (
            (
                r"With two tokens $a_{12} = \sigma(s_{12} - s_{11})$ and $a_{22} = \sigma(s_{22} -"
                r" s_{12})$."
            ),
            (
                r"By S1 $2 s_{12} \le s_{11} + s_{22}$, so $s_{12} - s_{11} \le s_{22} - s_{12}$."
                r" The sigmoid $\sigma$ increases."
            ),
        ),
        checks.verify_pair_bound_of_two,
        condition="N = 2. The check takes each pair of your tokens as a sequence of two.",
    ),
    Proposition(
        "S7",
        "The product bound, which holds after the softmax of each row",
        "Multiply the probabilities of two tokens for each other. The product equals that of their"
        " probabilities for themselves, times a factor of at most 1 that falls with their"
        " distance.",
        r"a_{ij}\,a_{ji} = a_{ii}\,a_{jj}\;e^{-\lVert x_i - x_j \rVert^2/\tau} \le a_{ii}\,a_{jj}",
        THEOREM,
        (
            "Both products have the divisor $Z_i Z_j$, which cancels in their ratio.",
            "The ratio is $e^{2 s_{ij} - s_{ii} - s_{jj}}$. By S1 this is the factor.",
        ),
        checks.verify_product_form,
    ),
    Proposition(
        "S8",
        "One token of each pair looks at itself",
        "In every pair, at least one token looks at itself at least as much as at the other.",
        r"\min(a_{ij}, a_{ji}) \le \sqrt{a_{ii}\,a_{jj}} \le \max(a_{ii}, a_{jj})",
        THEOREM,
        (
            r"$\min(a_{ij}, a_{ji})^2 \le a_{ij}\,a_{ji} \le a_{ii}\,a_{jj}$ by S7.",
            (
                "If both $a_{ij} > a_{ii}$ and $a_{ji} > a_{jj}$ were true, the products would"
                " contradict S7."
            ),
        ),
        checks.verify_one_of_two,
    ),
    Proposition(
        "S9",
        "Which tokens beat a token in its own row",
        "Another token beats a token in its row, which means that it gets more attention, exactly"
        " when its projection onto that token is longer (counted in the token's direction). A token"
        " of zeros has no direction and ties with all.",
        r"a_{ij} \le a_{ii} \iff s_{ij} \le s_{ii} \iff {x_i \cdot (x_j - x_i) \le 0}"
        r" \overset{x_i \ne 0}{\iff} {\lVert x_j \rVert \cos\angle \le \lVert x_i \rVert}",
        THEOREM,
        (
            "Inside a row the softmax keeps the order of the scores.",
            (
                r"$s_{ij} \le s_{ii}$ means $x_i \cdot x_j \le x_i \cdot x_i$. Divide by $\lVert"
                r" x_i \rVert$, unless it is 0."
            ),
        ),
        checks.verify_longer_projection,
    ),
    Proposition(
        "S10",
        "Only a longer token can beat a token",
        "A shorter or equally long token never beats a token. The row of the longest token has its"
        " maximum on the diagonal.",
        r"\lVert x_j \rVert \le \lVert x_i \rVert \implies a_{ij} \le a_{ii}",
        THEOREM,
        (
            r"By the Cauchy–Schwarz inequality, $x_i \cdot x_j \le \lVert x_i \rVert \lVert x_j"
            r" \rVert \le \lVert x_i \rVert^2$. Then use S9.",
        ),
        checks.verify_longer_tokens_only,
    ),
    Proposition(
        "S11",
        "An average of other tokens is beaten",
        "If a token is a weighted average of other tokens, one of them beats it, or it ties with"
        " all that have a weight above 0.",
        r"x_i \in \operatorname{conv}\{x_j : j \ne i\} \implies a_{ii} \le \max_{j \ne i} a_{ij}",
        CONDITION,
        (
            (
                r"If $x_i = \sum_j w_j x_j$, then $\sum_j w_j s_{ij} = s_{ii}$: the weighted"
                " average of these scores is $s_{ii}$."
            ),
            "One score with a weight above 0 is greater than the average, or all of them equal it."
            " Then use S9.",
        ),
        checks.verify_inside_the_others,
        condition="A token is a weighted average of the others (it lies in their convex hull).",
    ),
    Proposition(
        "S12",
        "With equal norms the diagonal is the maximum",
        "If all tokens have the same norm (length), every row has its maximum on the diagonal. Only"
        " equal tokens tie.",
        r"\lVert x_i \rVert = \lVert x_j \rVert \ \forall i, j \implies a_{ij} \le a_{ii},\quad"
        r" a_{ii} \ge \tfrac1N",
        CONDITION,
        (
            "Use S10 for all pairs. Equality in the Cauchy–Schwarz inequality means $x_j = x_i$.",
            r"The largest of $N$ numbers with sum 1 is at least $\frac1N$.",
        ),
        checks.verify_equal_lengths,
        condition=(
            "Equal norms: tokens after LayerNorm or RMSNorm without learnt factors and offsets, or"
            " any tokens on a sphere."
        ),
    ),
    Proposition(
        "S13",
        "The trace is at least 1",
        "The eigenvalues of A are real and between 0 and 1. The trace, which is the sum of the"
        " diagonal, is at least 1, as in uniform attention.",
        r"\operatorname{spec}(A) \subset [0, 1], \quad \operatorname{tr}(A) \ge 1, \quad D \ge"
        r" \tfrac1N",
        THEOREM,
        (
            (
                r"With $Z = \operatorname{diag}(Z_i)$: $A = Z^{-1} e^{S}$ is similar to $Z^{-1/2}"
                r" e^{S} Z^{-1/2}$."
            ),
            (
                "$S$ is a Gram matrix (dot products of vectors). By Schur's theorem its powers,"
                " entry by entry, are positive semidefinite, and so is their sum $e^{S}$."
            ),
            (
                "The rows of A sum to 1, so 1 is an eigenvalue and none is larger. The others are"
                " not negative."
            ),
        ),
        checks.verify_trace,
    ),
    Proposition(
        "S14",
        "A softmax of columns gives the same diagonal",
        "The softmax of the columns gives the transpose of A, which has the same diagonal.",
        r"\operatorname{softmax}_{\text{columns}}(S) = A^{\top}",
        THEOREM,
        (r"$S = S^{\top}$, so its columns are its rows.",),
        checks.verify_columns,
    ),
)


def find_proposition(number: str) -> Proposition:
    """The proposition of a number such as "S4"."""
    return next(one for one in PROPOSITIONS if one.number == number)
