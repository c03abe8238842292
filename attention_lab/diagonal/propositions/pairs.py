"""What is true about a pair of tokens: S1 to S4 and S6 to S8."""

from __future__ import annotations

from . import checks
from .record import CONDITION, FALSE, THEOREM, Proposition

PAIR_PROPOSITIONS = (
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
)
