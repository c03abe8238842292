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
