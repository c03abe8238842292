"""The page *The diagonal of modern attention*: what rotary positions, QK-norm, sinks and others do
to it.
"""

from collections.abc import Sequence
from dataclasses import replace

from attention_core.checks import Array
from attention_lab.diagonal.modern.delta_rule import DeltaRule, corrections, unit_vectors
from attention_lab.diagonal.modern.facts import (
    ModernFacts,
    StatementFacts,
    modern_facts,
    run_variants,
)
from attention_lab.diagonal.modern.statements import STATEMENTS, Statement
from attention_lab.diagonal.modern.variants import VARIANTS, Variant, find_variant
from attention_lab.diagonal.settings import tokens_of_settings
from attention_lab.diagonal.token_matrices import MAX_TOKENS

from .. import blocks as b
from ..block_page import page_of_facts
from ..labels import shorten
from ..markdown import escape_markdown
from ..page_choices import Choice, Places, Select, by_name
from ..story.story_view import StoryView
from .choices import CHOICES, PAIR, cut_notes, scale, settings_of, token_rows, typed_numbers
from .modern import delta_board, variants_board

MAX_STATE = 8  # features of a state whose numbers can be read
CELL = Places("modern_cell", "Cell", (), size=MAX_TOKENS, most=3, separator="-")
TOKEN = scale("modern_token", "Token", 1, 0, MAX_TOKENS - 1)
DECAY = Select(
    "modern_decay", "Decay of the state", "1", by_name(["1", "0.9", "0.5", "0"]), look="buttons"
)


def label_of(variant: Variant, value: float) -> str:
    """A strength as its scale shows it."""
    if variant.key == "alibi":
        return f"1/{round(1 / value)}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def _strength(one: Variant) -> Select:
    labels = by_name([label_of(one, value) for value in one.choices])
    usual = label_of(one, one.usual)
    return Select(f"modern_{one.key}", one.strength, usual, labels, look="scale")


STRENGTHS = {one.key: _strength(one) for one in VARIANTS if one.strength}
ALL_CHOICES: tuple[Choice, ...] = (
    *(one for one in CHOICES if one is not PAIR),
    *(*STRENGTHS.values(), CELL, TOKEN, DECAY),
)


def strengths_of(values: b.Values) -> dict[str, float]:
    """The strength of every variant."""
    strengths = {one.key: one.usual for one in VARIANTS}
    for key, choice in STRENGTHS.items():
        one = find_variant(key)
        strengths[key] = next(v for v in one.choices if label_of(one, v) == values[choice.key])
    return strengths


def _rule(values: b.Values) -> DeltaRule:
    return DeltaRule(strengths_of(values)["delta"], float(values[DECAY.key]))


def _facts(view: StoryView, values: b.Values) -> ModernFacts:
    _, x_TD = tokens_of_settings(settings_of(view, values, with_layer=False))
    return modern_facts(x_TD, strengths_of(values), _rule(values), MAX_STATE)


def _blocks(view: StoryView, values: b.Values, facts: ModernFacts) -> Sequence[b.Block]:
    """The variants side by side, what can be proved, and the delta rule. Raises: AttentionError."""
    settings = settings_of(view, values, with_layer=False)
    labels, x_TD = tokens_of_settings(settings)
    plain, _ = run_variants(x_TD, strengths_of(values))
    cards = [_card(*one) for one in zip(STATEMENTS, facts.statements, strict=True)]
    return [
        b.Text(_answer(facts)),
        *typed_numbers(settings, values),
        b.Board(variants_board(plain, labels, _cell(values, len(labels))), "modern"),
        b.row(values, *STRENGTHS.values()),
        *cut_notes(settings.text, is_read=settings.tokens == "sentence"),
        b.Folded("Other tokens", token_rows(settings, values)),
        b.Text(
            "Each matrix shows where the tokens look without weights ($Q = K = V = X$), in"
            " plain attention and in eight variants that today’s models use. Beside each"
            " name stand the rows that peak on their diagonal, and the mean weight of a token for"
            " itself."
        ),
        variants_table(facts),
        b.Text(
            "The last two columns have queries and keys by two matrices that have nothing to do"
            " with each other. Then no score prefers the diagonal: it is W_Q and W_K that let a"
            " token look elsewhere. Only what knows positions still does: ALiBi, and where a token"
            " sees few others, as in a window, in linear attention and in the delta rule. In the"
            " last two, weights are no shares: they may be negative.",
            small=True,
        ),
        b.Heading("What can be proved"),
        *(b.Beside(tuple(cards[n : n + 2]), (1, 1)) for n in range(0, len(cards) - 1, 2)),
        *(cards[-1] if len(cards) % 2 else []),
        b.Heading("The delta rule, one token at a time"),
        *_delta(values, x_TD, labels, facts),
    ]


def _answer(facts: ModernFacts) -> str:
    """In which variants most and fewest rows peak on the diagonal."""
    rows = facts.rows
    usual = (
        f"Rows that peak on the diagonal: **{rows.plain} of {facts.n}** in plain attention (ties:"
        f" {rows.ties})."
    )
    if rows.fewest is None:
        return f"{usual} In each of the other {facts.others} variants: **{rows.most}**."
    most, fewest = (", ".join(titles) for titles in (rows.most_in, rows.fewest_in))
    return f"{usual} Most: **{rows.most}** ({most}). Fewest: **{rows.fewest}** ({fewest})."


def _cell(values: b.Values, n_tokens: int) -> tuple[str, int, int]:
    """The variant and the cell that the URL names; else the first cell of plain attention."""
    held = values[CELL.key]
    if len(held) == 3 and held[0] < len(VARIANTS) and max(held[1:]) < n_tokens:
        return VARIANTS[held[0]].key, held[1], held[2]
    return VARIANTS[0].key, 0, 0


def variants_table(facts: ModernFacts) -> b.Table:
    """The measures of all variants."""
    rows = [
        [
            f"**{one.title}**: {variant.description}",
            *(f"{one.rows} of {facts.n}", str(one.own), str(one.ties)),
            *(f"{one.drawn_rows} of {facts.n}", str(one.drawn_own)),
        ]
        for one, variant in zip(facts.looks, VARIANTS, strict=True)
    ]
    here, there = "rows that peak on the diagonal", "with drawn W_Q, W_K: rows"
    return b.Table(["variant", here, "own weight", "ties", there, "own weight"], rows)


def _card(one: Statement, facts: StatementFacts) -> list[b.Block]:
    """A statement with its formula, the check on the tokens shown, what ends it, and its proof."""
    title = find_variant(one.variant).title
    verdict = "holds" if facts.holds else "is violated"
    tone: b.Tone = "right" if facts.holds else "wrong"
    numbers = "; ".join(f"{name}: **{number}**" for name, number in facts.numbers)
    return [
        b.Text(f"**{one.number} · {one.title}** :green[theorem]"),
        b.Formula(one.latex),
        b.Text(one.statement),
        b.Note(f"**On these tokens ({title}) it {verdict}.** {numbers}.", tone),
        b.Text(f"**What ends it:** {one.ends}"),
        b.Folded(f"Proof of {one.number}", [b.Text(line) for line in one.proof]),
    ]


def _delta(
    values: b.Values, x_TD: Array, labels: Sequence[str], facts: ModernFacts
) -> list[b.Block]:
    """One step of the delta rule."""
    place, rule = min(values[TOKEN.key], len(labels) - 1), _rule(values)
    keys = unit_vectors(x_TD[:, :MAX_STATE])
    step = corrections(keys, keys, x_TD[:, :MAX_STATE], rule)[place]
    token = replace(TOKEN, high=max(1, len(labels) - 1), variant=str(len(labels)))
    word = f"{place} {shorten(labels[place])}"
    own = "No token keeps anything, because all are 0."
    if facts.low is not None:
        own = (
            "Of its own value each token that is not 0 keeps β: the own weights lie between"
            f" {facts.low} and {facts.high}."
        )
    return [
        b.Text(
            "The state S is a matrix that answers a key with a value. A token asks with its key"
            " what S holds, erases that, and writes β times the difference to its own value. Keys"
            " have length 1; here every token is its own value, and its direction is key and query."
        ),
        b.row({**values, TOKEN.key: place}, token, DECAY),
        b.Text(f"**{escape_markdown(word)}**, β = {rule.beta:g}"),
        b.Board(delta_board(step, rule.beta, word), "delta"),
        b.Text(
            f"{own} A decay below 1 fades the state from one token to the next, and changes no own"
            f" weight. Of longer vectors the first {MAX_STATE} features are taken as the whole"
            " token.",
            small=True,
        ),
    ]


MODERN = page_of_facts("modern-diagonal", lambda _: ALL_CHOICES, _facts, _blocks)
