"""The page *Does a token look at itself?*: how much of its attention each token keeps, and what
changes that.
"""

from collections.abc import Sequence

from attention_core import Trace
from attention_lab.diagonal.facts import SelfAttentionFacts, self_attention_facts
from attention_lab.diagonal.measures import least_self_attention
from attention_lab.diagonal.settings import trace_of_settings

from .. import blocks as b
from ..block_page import page_of_facts
from ..story.story_view import StoryView
from .choices import (
    CHOICES,
    PAIR_SETS,
    cut_notes,
    examples,
    head_choices,
    pair_of,
    settings_of,
    typed_numbers,
)
from .in_words import describe_pair, metric_table
from .self_attention_mass import diagonal_board, margin_bars

PAIR_BOUND = (
    "Each row shows where one token looks."
    " [Slides](questions?concepts_text=slides&verdict=always.condition.false) on multi-head"
    " attention claim that no weight exceeds both diagonal weights of its pair of tokens: $a_{ij}"
    " \\le \\max(a_{ii}, a_{jj})$. We call this the **pair bound**. Outlined cells break it. Click"
    " a cell to look at its pair."
)
MARGIN = (
    "The margin is a token’s score for itself minus its highest score for another token. Above 0"
    " the token looks most at itself, below 0 it looks more at another token, and at 0 the two tie."
)
TRY = (
    "**Try:** open *Other tokens, other weights*, set *Weights* to *angle* and turn W_K away from"
    " W_Q. At 0° the two are equal (tied), and tokens tend to look at themselves. At 90° they are"
    " unrelated, and there is no preference at all. At 180° they are opposite: the token with the"
    " longest query looks at itself least, but a short one may look at itself most. Change the"
    " *temperature*: the weights change, but no bar changes its side. Spread the lengths: without"
    " weights only a **longer** token can get more of a token’s attention than the token itself."
)

LIMITS = (
    "**What follows?** That the diagonal [limits what attention can"
    " express](questions?concepts_words=slides-limits-expressive-power), and that one should"
    " [always use attention with weights](questions?concepts_words=slides-always-use-weights): both"
    " are claims of the slides, tried on trained layers."
)


def _trace_and_cell(view: StoryView, values: b.Values) -> tuple[Trace, tuple[int, int]]:
    trace = trace_of_settings(settings_of(view, values))
    least = least_self_attention(trace.probabilities[0, 0])
    return trace, pair_of(trace, values, unless_broken=least)


def _facts(view: StoryView, values: b.Values) -> SelfAttentionFacts:
    return self_attention_facts(*_trace_and_cell(view, values))


def _blocks(view: StoryView, values: b.Values, facts: SelfAttentionFacts) -> Sequence[b.Block]:
    """The matrix with its pair, the margins, and what measures both. Raises: AttentionError."""
    settings, (trace, cell) = settings_of(view, values), _trace_and_cell(view, values)
    board = b.Board(diagonal_board(trace, cell), "diagonal", fits=True, sets=PAIR_SETS)
    return [
        b.Text(
            f"Tokens that look most at themselves: **{facts.mine} of {facts.n}** (ties:"
            f" {facts.ties}). Attention on the diagonal: **{facts.mass}** (uniform:"
            f" {facts.uniform}). Cells that break the pair bound: **{facts.broken}**."
        ),
        *typed_numbers(settings, values),
        b.Beside(([board], [b.Chart(margin_bars(trace, cell[0]), "margins")]), (3, 2)),
        b.Text(describe_pair(trace, facts.pair)),
        *cut_notes(settings.text, is_read=settings.tokens == "sentence"),
        *examples(settings),
        head_choices(settings, values),
        b.Beside(([b.Text(PAIR_BOUND, small=True)], [b.Text(MARGIN, small=True)]), (3, 2)),
        b.Folded("What measures the diagonal", [metric_table(facts.measures)]),
        b.Text(TRY),
        b.Text(LIMITS),
        b.Text(
            "This page has one head of its own. All bars and numbers are those of its matrix.",
            small=True,
        ),
    ]


SELF_ATTENTION = page_of_facts("self-attention-mass", lambda _: CHOICES, _facts, _blocks)
