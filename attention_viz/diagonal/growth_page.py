"""The page *Growth of self-attention*: its mass and its maxima against the width, as curves and
measured. Points are measured a little whenever the page is shown while it measures.
"""

from collections.abc import Sequence

from attention_lab.diagonal.facts import GrowthFacts, growth_facts
from attention_lab.diagonal.growth import TIED_WIDTH, TOKEN_COUNTS, Growth, measurements

from .. import blocks as b
from ..block_page import page_of_facts
from ..page_choices import Select, Several, Switch, by_name
from ..story.story_view import StoryView
from .choices import seed
from .growth import argmax_figure, mass_figure

SECONDS = 0.4  # for which points are measured before the page is drawn again
# LaTeX, by whether the scores are scaled.
DIVISOR = {True: r"\sqrt C", False: "1"}
RULE_EXPONENT = {True: r"1/2-\sqrt C", False: "-C/2"}
HALF_MASS_WIDTH = {True: r"\left(\ln(N-1)+\tfrac12\right)^2", False: r"2 \ln(N-1)"}
WHAT_IS_DRAWN = {
    False: (
        "The charts show how much random tokens look at themselves **without weights**. Their"
        " features are independent and normally distributed. Self-attention grows with the number"
        " of features C. With more tokens N it takes more features."
    ),
    True: (
        f"The charts show how much random tokens of {TIED_WIDTH} features look at themselves with"
        " **tied weights** $W_Q = W_K$. In the formulas, the width $d_k$ of a query takes the place"
        " of C. The curves are exact for orthonormal weights. The measured points use random normal"
        " weights, whose uneven columns cost up to about a quarter, most with many tokens."
    ),
}
MEASURES = Switch("growth_now", "Measure", False)
STOPS = (MEASURES.key,)
COUNTS = tuple(map(str, TOKEN_COUNTS))
KIND = Select(
    "growth_kind",
    "Weights",
    "weightless",
    by_name(("weightless", "tied")),
    "buttons",
    resets=STOPS,
)
N_TOKENS = Several("growth_n", "Tokens N", COUNTS, by_name(COUNTS))
LINES = Several(
    "growth_lines", "Curves", ("exact", "rule"), by_name(("exact", "bound", "rule", "uniform"))
)
SCALED = Switch("growth_scaled", "Scaled by 1/√C", True, resets=STOPS)
CAUSAL = Switch("growth_causal", "Causal mask", False, resets=STOPS)
ERROR = Select(
    "growth_error",
    "Standard error",
    "0.01",
    by_name(("0.02", "0.01", "0.004", "0.001")),
    help="Each point draws tokens until the standard errors of D and R are at most this.",
    resets=STOPS,
)
SEED = seed("growth_seed")
CHOICES = (KIND, N_TOKENS, LINES, SCALED, CAUSAL, ERROR, SEED, MEASURES)


def _counts(values: b.Values) -> Sequence[int]:
    return sorted(map(int, values[N_TOKENS.key])) or TOKEN_COUNTS


def _growth(values: b.Values) -> Growth:
    kind, scaled, causal, seed_number = (values[one.key] for one in (KIND, SCALED, CAUSAL, SEED))
    return Growth(kind == "tied", scaled, causal, seed_number)


def _facts(_: StoryView, values: b.Values) -> GrowthFacts:
    growth, counts = _growth(values), _counts(values)
    measured = measurements(growth, counts, float(values[ERROR.key]))
    if values[MEASURES.key]:
        measured.measure(SECONDS)
    return growth_facts(counts, growth.scaled, measured.missing, len(measured.places))


def _blocks(view: StoryView, values: b.Values, facts: GrowthFacts) -> Sequence[b.Block]:
    """Both charts, the button that measures, and how the curves are computed."""
    growth, counts, last = _growth(values), _counts(values), facts.widths[-1]
    scaled, causal = growth.scaled, growth.causal
    measured = measurements(growth, counts, float(values[ERROR.key]))
    mass = mass_figure(growth, counts, measured.points, values[LINES.key])
    argmax = argmax_figure(growth, counts, measured.points)
    features = "features of a query" if growth.tied else "features"
    half = " · ".join(f"{width} among {n} tokens" for width, n in facts.half)
    return [
        b.Text(
            "A token keeps half of its attention for itself from about this many"
            f" {features} on: **{half}** (without a mask)."
        ),
        b.row(values, KIND, N_TOKENS, LINES),
        b.Beside(([b.Chart(mass, "growth mass")], [b.Chart(argmax, "growth argmax")]), (1, 1)),
        *_button(facts, values),
        b.Folded("More choices", [b.row(values, SCALED, CAUSAL, ERROR, SEED)]),
        b.Text(WHAT_IS_DRAWN[growth.tied]),
        b.Text(
            "**D** is the mean weight of a token for itself, **R** the share of rows whose maximum"
            " lies on the diagonal. Lines: the **exact** curve (solid), a proven lower **bound**"
            " (dotted), a **rule** in one line (dashed), and **uniform** attention (dash and dot)."
            " Points: measured, with their standard errors."
        ),
        b.Folded("The curves", _curves(scaled, causal), opened=True),
        b.Folded("The half-mass rule", _half_mass(facts, scaled), opened=True),
        b.Text(
            "**Try:** [switch off the scaling](growth?growth_scaled=false): without 1/√C the"
            f" diagonal has half of the attention among {last.n_tokens} tokens at"
            f" {last.unscaled} {features} instead of {last.scaled}. [Switch on the causal"
            " mask](growth?growth_causal=true&growth_lines=exact.uniform): the first tokens have"
            " few competitors, so compare with *uniform*, which is then (1 + 1/2 + … + 1/N)/N"
            " instead of 1/N."
        ),
    ]


def _half_mass(facts: GrowthFacts, scaled: bool) -> list[b.Block]:
    """The half-mass rule, and as a table the widths at which D = 1/2 and R = 1/2."""
    head = ["tokens N", "D = ½ at C, scaled", "D = ½ at C, unscaled", "R = ½ near C"]
    rows = [[*map(str, (one.n_tokens, one.scaled, one.unscaled, one.rows))] for one in facts.widths]
    return [
        b.Formula(rf"D = \tfrac12 \quad\text{{near}}\quad C^* = {HALF_MASS_WIDTH[scaled]}"),
        b.Table(head, rows),
        b.Text(
            "The rule is for attention without a mask. There the chart of D shows it as dotted"
            " lines, from C = 1 on. R = ½ takes fewer features than D = ½. The widths for R are"
            " approximate. R does not depend on the scale.",
            small=True,
        ),
    ]


def _button(facts: GrowthFacts, values: b.Values) -> list[b.Block]:
    """What measures the points that are missing, or stops it."""
    measures = values[MEASURES.key] and facts.measured < facts.n
    label = "Stop" if measures else "Draw tokens and measure"
    says = f"{facts.measured} of {facts.n} points are measured with these choices."
    return [
        b.Button(label, {MEASURES.key: not measures}, name="measure"),
        b.Text(says, small=True),
        *([b.Later(0.1, {MEASURES.key: True})] if measures else []),
    ]


def _curves(scaled: bool, causal: bool) -> list[b.Block]:
    """How the curves are computed, in words and formulas."""
    masked = (
        " Under the causal mask token $i$ competes only with the $i-1$ tokens before it. Every"
        " curve is the mean of these formulas over $i$ from 1 to $N$, with $i-1$ in the place of"
        " $N-1$."
    )
    return [
        b.Text(
            "Take a token with squared length $r$. Its scores for other tokens, divided by $\\tau$,"
            " are normal with variance $r/\\tau^2$. $\\Phi(\\sqrt r)$, the normal distribution"
            " function, is the chance that the token's own score beats one of them. $\\mathbb E$"
            " is a mean:"
        ),
        b.Formula(
            r"R = \mathbb E_r\left[\Phi(\sqrt r)^{N-1}\right], \quad D = \mathbb E_r \mathbb"
            r" E\left[\tfrac1{1+Y}\right]"
        ),
        b.Text(
            "$Y$ is a sum of $N-1$ lognormal numbers, which are exponentials of normal ones."
            " Jensen’s inequality (the mean of a convex function is at least the function of the"
            " mean) gives the bound:"
        ),
        b.Formula(r"D \ge \mathbb E_r\left[\frac1{1+(N-1)\,e^{r/(2\tau^2) - r/\tau}}\right]"),
        b.Text(
            f"If every token has its typical length ($r = C$, $\\tau = {DIVISOR[scaled]}$), the"
            " bound becomes the rule:"
        ),
        b.Formula(rf"D \approx \frac1{{1+(N-1)\,e^{{{RULE_EXPONENT[scaled]}}}}}"),
        *([b.Text(masked)] if causal else []),
    ]


GROWTH = page_of_facts("growth", lambda _: CHOICES, _facts, _blocks)
