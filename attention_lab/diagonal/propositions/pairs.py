"""What is true about a pair of tokens: S1 to S4 and S6 to S8."""

from __future__ import annotations

from . import checks
from .record import CONDITION, FALSE, THEOREM, Proposition

PAIR_PROPOSITIONS = (
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
)
