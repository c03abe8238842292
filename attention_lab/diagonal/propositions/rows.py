"""What is true about a row and the whole diagonal: S5 and S9 to S14."""

from __future__ import annotations

from . import checks
from .record import CONDITION, FALSE, THEOREM, Proposition

ROW_PROPOSITIONS = (
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
        "S9",
        "Who out-votes a token in its own row",
        "A token is out-voted by another exactly when the other's projection onto it, counted in"
        " its direction, is longer. A token of zeros has no direction; it ties with all.",
        r"a_{ij} \le a_{ii} \iff s_{ij} \le s_{ii} \iff {x_i \cdot (x_j - x_i) \le 0}"
        r" \overset{x_i \ne 0}{\iff} {\lVert x_j \rVert \cos\angle \le \lVert x_i \rVert}",
        THEOREM,
        (
            "Inside a row the softmax keeps the order of the scores.",
            (
                r"$s_{ij} \le s_{ii}$ is $x_i \cdot x_j \le x_i \cdot x_i$; divide by $\lVert x_i"
                r" \rVert$, unless it is 0."
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
        " with all that have a share in it.",
        r"x_i \in \operatorname{conv}\{x_j : j \ne i\} \implies a_{ii} \le \max_{j \ne i} a_{ij}",
        CONDITION,
        (
            (
                r"If $x_i = \sum_j w_j x_j$ then $\sum_j w_j s_{ij} = s_{ii}$: the average of these"
                r" scores is $s_{ii}$."
            ),
            "Of those with a share above 0 one lies above the average unless all are equal to it."
            " Then S9.",
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
        condition=(
            "Equal norms: LayerNorm or RMSNorm without learnt factors and offsets, tokens on a"
            " sphere."
        ),
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
