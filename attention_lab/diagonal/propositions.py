"""What is true about the diagonal of weightless attention, S1 to S14: statement, status, proof,
live check.

The scores are s_ij = x_i·x_j/τ with τ = √d, Z_i is the sum of exp s_ik over k, and a_ij =
exp(s_ij)/Z_i. With tied weights everything holds for the queries x W in the place of the tokens.
The bound S4 and the sentence S5 are those of the slides; the rest says what becomes of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from attention_core.checks import shown
from attention_core.errors import SettingsError

from . import proposition_checks as checks
from .proposition_checks import Check, Tokens, weightless

THEOREM, FALSE, CONDITION = "theorem", "false", "condition"


@dataclass(frozen=True)
class Proposition:
    """One statement. says: in plain words; latex: as a formula; condition: what must hold for it,
    if anything.

    proof: its lines, with LaTeX between dollars; for a false statement the argument it is usually
    given, whose last line is `fails`, the step that does not hold. test: the live check on some
    tokens.
    """

    number: str
    title: str
    says: str
    latex: str
    status: str
    proof: tuple[str, ...]
    test: Callable[[Tokens], Check]
    condition: str = ""
    fails: str = ""

    def check(self, x: ArrayLike, scale: float | None = None) -> Check:
        """The verdict on weightless attention over some tokens. Shapes: x (T, D). Raises:
        AttentionError.

        >>> verdict = proposition("S4").check([[1.0], [2.0], [3.0]])
        >>> verdict.holds, round(verdict.excess, 4), verdict.where
        (False, 0.1274, (0, 1))
        """
        return self.test(weightless(x, scale))


def proposition(number: str) -> Proposition:
    """The proposition of a number such as "S4". Raises: SettingsError."""
    found = {candidate.number: candidate for candidate in PROPOSITIONS}
    if not isinstance(number, str) or number not in found:
        raise SettingsError(f"number is {shown(number)} but must be S1 to S{len(PROPOSITIONS)}")
    return found[number]


PROPOSITIONS = (
    Proposition(
        "S1",
        "A score is bounded by the diagonal scores",
        "The score of two tokens is the mean of their diagonal scores, less a share of their"
        " squared distance: it never exceeds the larger of the two.",
        r"s_{ij} = \tfrac12 (s_{ii} + s_{jj}) - \tfrac1{2\tau} \lVert x_i - x_j \rVert^2 \le"
        r" \max(s_{ii}, s_{jj})",
        THEOREM,
        (
            (
                r"$\lVert x_i - x_j \rVert^2 = \lVert x_i \rVert^2 + \lVert x_j \rVert^2 - 2\, x_i"
                r" \cdot x_j$."
            ),
            r"Solve for $x_i \cdot x_j$ and divide by $\tau$. A squared distance is never negative,"
            r" and a mean never "
            "exceeds the larger of the two.",
        ),
        checks.identity_of_scores,
    ),
    Proposition(
        "S2",
        "So is its exponential",
        "The exponential keeps the order, so the bound holds for exp of the scores, before anything"
        " is normalised. The check divides all of them by the largest.",
        r"e^{s_{ij}} \le \max(e^{s_{ii}}, e^{s_{jj}})",
        THEOREM,
        (r"S1, and $e^{u} \le e^{v}$ whenever $u \le v$.",),
        checks.bound_of_exponentials,
    ),
    Proposition(
        "S3",
        "One normaliser for all keeps the bound",
        "If one softmax ran over all N² scores together, no cell could exceed both diagonal cells"
        " of its pair.",
        r"p_{ij} = \frac{e^{s_{ij}}}{\sum_{kl} e^{s_{kl}}} \le \sqrt{p_{ii}\,p_{jj}} \le"
        r" \max(p_{ii}, p_{jj})",
        THEOREM,
        (
            r"By S1 $e^{s_{ij}} \le e^{(s_{ii} + s_{jj})/2} = \sqrt{e^{s_{ii}}\, e^{s_{jj}}}$.",
            "Divide both sides by the one normaliser, which is the same for all three cells.",
        ),
        checks.one_normaliser,
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
        checks.pair_bound,
        condition=(
            "It does hold for N = 2 (S6), for equal norms (S12) and for one common normaliser (S3)."
        ),
        fails=(
            r"The second line. Softmax preserves order inside a row, with one normaliser; $a_{jj}$"
            r" lies in row $j$ "
            r"and is divided by $Z_j$, not by $Z_i$. Where $s_{ij} > s_{ii}$ the bound fails"
            r" exactly when "
            r"$\log Z_j - \log Z_i > s_{jj} - s_{ij}$: two rows, two normalisers."
        ),
    ),
    Proposition(
        "S5",
        "The diagonal is always the greatest",
        "Every token looks at itself more than at any other.",
        r"a_{ii} > a_{ij} \text{ for all } j \ne i",
        FALSE,
        (
            r"$x_i \cdot x_i$ is the similarity of a token with itself.",
            "Nothing is more similar to it than itself.",
        ),
        checks.diagonal_is_greatest,
        condition=(
            "It does hold for different tokens of equal norm (S12), and for the longest token (S10)"
            " up to ties."
        ),
        fails=(
            r"The second line. A dot product is no similarity: a long token scores more with $x_i$"
            r" than $x_i$ itself "
            r"as soon as $x_i \cdot x_j > \lVert x_i \rVert^2$. X = [1, 2] is enough: row 0 is"
            r" (0.2689, 0.7311)."
        ),
    ),
    Proposition(
        "S6",
        "The pair bound for two tokens alone",
        "In a sequence of two tokens no probability exceeds both diagonal ones.",
        r"N = 2:\quad a_{12} \le \max(a_{11}, a_{22})",
        CONDITION,
        (
            (
                r"With two tokens $a_{12} = \sigma(s_{12} - s_{11})$ and $a_{22} = \sigma(s_{22} -"
                r" s_{12})$."
            ),
            (
                r"By S1 $2 s_{12} \le s_{11} + s_{22}$, that is $s_{12} - s_{11} \le s_{22} -"
                r" s_{12}$; $\sigma$ increases."
            ),
        ),
        checks.pair_bound_of_two,
        condition="N = 2. The check takes every pair of your tokens alone.",
    ),
    Proposition(
        "S7",
        "The product form: what is true after the softmax of each row",
        "Two tokens' probabilities for each other, multiplied, are those for themselves,"
        " multiplied, times a factor of at most 1 that falls with their distance.",
        r"a_{ij}\,a_{ji} = a_{ii}\,a_{jj}\;e^{-\lVert x_i - x_j \rVert^2/\tau} \le a_{ii}\,a_{jj}",
        THEOREM,
        (
            r"Both products have the normalisers $Z_i Z_j$, which cancel in their ratio.",
            r"What is left is $e^{2 s_{ij} - s_{ii} - s_{jj}}$, which S1 turns into the factor.",
        ),
        checks.product_form,
    ),
    Proposition(
        "S8",
        "One of the two looks at itself",
        "In every pair at least one token looks at itself at least as much as at the other.",
        r"\min(a_{ij}, a_{ji}) \le \sqrt{a_{ii}\,a_{jj}} \le \max(a_{ii}, a_{jj})",
        THEOREM,
        (
            r"$\min(a_{ij}, a_{ji})^2 \le a_{ij}\,a_{ji} \le a_{ii}\,a_{jj}$ by S7.",
            (
                r"If $a_{ij} > a_{ii}$ and $a_{ji} > a_{jj}$ held together, their product would"
                r" contradict S7."
            ),
        ),
        checks.one_of_two,
    ),
    Proposition(
        "S9",
        "Who out-votes a token in its own row",
        "A token is out-voted by another exactly when the other's projection onto it, counted in"
        " its direction, is longer.",
        r"a_{ij} \le a_{ii} \iff s_{ij} \le s_{ii} \iff x_i \cdot (x_j - x_i) \le 0 \iff "
        r"\lVert x_j \rVert \cos\angle \le \lVert x_i \rVert",
        THEOREM,
        (
            "Inside a row the softmax keeps the order of the scores.",
            (
                r"$s_{ij} \le s_{ii}$ is $x_i \cdot x_j \le x_i \cdot x_i$; divide by $\lVert x_i"
                r" \rVert$."
            ),
        ),
        checks.longer_projection,
    ),
    Proposition(
        "S10",
        "Only a longer token can out-vote",
        "No token is out-voted by a shorter or equally long one; the longest token's row peaks on"
        " its diagonal.",
        r"\lVert x_j \rVert \le \lVert x_i \rVert \implies a_{ij} \le a_{ii}",
        THEOREM,
        (
            r"Cauchy and Schwarz: $x_i \cdot x_j \le \lVert x_i \rVert \lVert x_j \rVert \le \lVert"
            r" x_i \rVert^2$. "
            "Then S9.",
        ),
        checks.longer_tokens_only,
    ),
    Proposition(
        "S11",
        "An average of others is out-voted",
        "A token that is a weighted average of other tokens is out-voted by one of them, or tied"
        " with all of them.",
        r"x_i \in \operatorname{conv}\{x_j : j \ne i\} \implies a_{ii} \le \max_{j \ne i} a_{ij}",
        CONDITION,
        (
            (
                r"If $x_i = \sum_j w_j x_j$ then $\sum_j w_j s_{ij} = s_{ii}$: the average of these"
                r" scores is $s_{ii}$."
            ),
            "One of them lies above their average unless all are equal to it. Then S9.",
        ),
        checks.inside_the_others,
        condition="Some token lies in the convex hull of the others.",
    ),
    Proposition(
        "S12",
        "With equal norms the diagonal wins",
        "If all tokens have the same norm, every row peaks on its diagonal, strictly unless tokens"
        " are equal.",
        r"\lVert x_i \rVert = \lVert x_j \rVert \ \forall i, j \implies a_{ij} \le a_{ii},\quad"
        r" a_{ii} \ge \tfrac1N",
        CONDITION,
        (
            r"S10 for all pairs; equality in Cauchy and Schwarz means $x_j = x_i$.",
            r"The largest of $N$ numbers with sum 1 is at least $\frac1N$.",
        ),
        checks.equal_lengths,
        condition="Equal norms: LayerNorm without gain, RMSNorm, tokens on a sphere.",
    ),
    Proposition(
        "S13",
        "The trace is at least 1",
        "A's eigenvalues are real and from 0 to 1, so the diagonal holds at least as much as in"
        " uniform attention.",
        r"\operatorname{spec}(A) \subset [0, 1], \quad \operatorname{tr}(A) \ge 1, \quad D \ge"
        r" \tfrac1N",
        THEOREM,
        (
            (
                r"With $Z = \operatorname{diag}(Z_i)$: $A = Z^{-1} e^{S}$ is similar to $Z^{-1/2}"
                r" e^{S} Z^{-1/2}$."
            ),
            (
                r"$S$ is a Gram matrix, so $e^{S}$, entry by entry a sum of its powers, is positive"
                r" semidefinite (Schur)."
            ),
            (
                "The rows of A sum to 1, so 1 is an eigenvalue, and none is larger; the others are"
                " not negative."
            ),
        ),
        checks.trace_at_least_one,
    ),
    Proposition(
        "S14",
        "Columns instead of rows change nothing",
        "The softmax of the columns gives the transpose of A, diagonal included.",
        r"\operatorname{softmax}_{\text{columns}}(S) = A^{\top}",
        THEOREM,
        (r"$S = S^{\top}$: its columns are its rows.",),
        checks.columns_instead_of_rows,
    ),
)
