"""The page *The diagonal of modern attention*: what rotary positions, QK-norm, sinks and others do
to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from attention_core.checks import Array
from attention_lab.diagonal.modern.delta_rule import (
    DeltaRule,
    corrections,
    delta_weights,
    unit_vectors,
)
from attention_lab.diagonal.modern.statements import STATEMENTS, Checked, Statement
from attention_lab.diagonal.modern.variants import (
    VARIANTS,
    Looks,
    Variant,
    Vectors,
    count_rows,
    drawn_vectors,
    find_variant,
    weightless_vectors,
)
from attention_lab.diagonal.settings import tokens_of_settings
from attention_lab.diagonal.token_matrices import MAX_TOKENS
from attention_lab.words.numbers import format_number

from ..blocks import (
    Beside,
    Block,
    BlockPage,
    Board,
    Choice,
    Folded,
    Formula,
    Heading,
    Note,
    Places,
    Select,
    Table,
    Text,
    Tone,
    Values,
    by_name,
    row,
)
from ..labels import shorten
from ..markdown import escape_markdown
from ..story.story_view import StoryView
from .choices import CHOICES, PAIR, cut_notes, scale, settings_of, token_rows
from .modern import delta_board, variants_board

MAX_STATE = 8  # features of a state whose numbers can be read
Runs = Sequence[tuple[Variant, Looks]]
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


def strengths_of(values: Values) -> dict[str, float]:
    """The strength of every variant."""
    found = {one.key: one.usual for one in VARIANTS}
    for key, choice in STRENGTHS.items():
        one = find_variant(key)
        found[key] = next(v for v in one.choices if label_of(one, v) == values[choice.key])
    return found


def run_variants(x_TD: Array, strengths: Mapping[str, float]) -> tuple[Runs, Runs]:
    """Every variant on the tokens without weights, and with two drawn matrices."""

    def of(vectors: Vectors) -> Runs:
        return [(one, one.run(vectors, strengths[one.key])) for one in VARIANTS]

    return of(weightless_vectors(x_TD)), of(drawn_vectors(x_TD))


def _blocks(view: StoryView, values: Values) -> Sequence[Block]:
    """The variants side by side, what can be proved, and the delta rule. Raises: AttentionError."""
    settings = settings_of(view, values, with_layer=False)
    labels, x_TD = tokens_of_settings(settings)
    strengths = strengths_of(values)
    plain, drawn = run_variants(x_TD, strengths)
    cards = [_card(one, x_TD, strengths) for one in STATEMENTS]
    return [
        Text(_answer(plain, len(labels))),
        Board(variants_board(plain, labels, _cell(values, len(labels))), "modern"),
        row(values, *STRENGTHS.values()),
        *cut_notes(settings.text, is_read=settings.tokens == "sentence"),
        Folded("Other tokens", token_rows(settings, values)),
        Text(
            "Each matrix shows where the tokens look without weights ($Q = K = V = X$), in"
            " plain attention and in eight variants that today’s models use. Beside each"
            " name stand the rows that peak on their diagonal, and the mean weight of a token for"
            " itself."
        ),
        variants_table(plain, drawn, len(labels)),
        Text(
            "The last two columns have queries and keys by two matrices that have nothing to do"
            " with each other. Then no variant prefers the diagonal: it is W_Q and W_K that let a"
            " token look elsewhere. In linear attention and the delta rule weights are no shares:"
            " they may be negative.",
            small=True,
        ),
        Heading("What can be proved"),
        *(Beside(tuple(cards[n : n + 2]), (1, 1)) for n in range(0, len(cards) - 1, 2)),
        *(cards[-1] if len(cards) % 2 else []),
        Heading("The delta rule, one token at a time"),
        *_delta(values, x_TD, labels, strengths["delta"]),
    ]


def _answer(plain: Runs, n_tokens: int) -> str:
    """In which variants most and fewest rows peak on the diagonal."""
    found = count_rows(plain)
    usual = (
        f"Rows that peak on the diagonal: **{found.plain} of {n_tokens}** in plain attention"
        f" (ties: {found.ties})."
    )
    if found.are_equal:
        return f"{usual} In each of the other {len(plain) - 1} variants: **{found.most}**."
    most, fewest = (", ".join(titles) for titles in (found.most_in, found.fewest_in))
    return f"{usual} Most: **{found.most}** ({most}). Fewest: **{found.fewest}** ({fewest})."


def _cell(values: Values, n_tokens: int) -> tuple[str, int, int]:
    """The variant and the cell that the URL names; else the first cell of plain attention."""
    held = values[CELL.key]
    if len(held) == 3 and held[0] < len(VARIANTS) and max(held[1:]) < n_tokens:
        return VARIANTS[held[0]].key, held[1], held[2]
    return VARIANTS[0].key, 0, 0


def variants_table(plain: Runs, drawn: Runs, n_tokens: int) -> Table:
    """The measures of all variants."""
    rows = [
        [
            f"**{one.title}**: {one.description}",
            *(f"{looks.rows_on_diagonal} of {n_tokens}", f"{looks.own_weight:.3f}"),
            f"{looks.ties}",
            *(f"{other.rows_on_diagonal} of {n_tokens}", f"{other.own_weight:.3f}"),
        ]
        for (one, looks), (_, other) in zip(plain, drawn, strict=True)
    ]
    here, there = "rows that peak on the diagonal", "with drawn W_Q, W_K: rows"
    return Table(["variant", here, "own weight", "ties", there, "own weight"], rows)


def describe_check(checked: Checked) -> str:
    """The numbers of a check."""

    def shown(value: float) -> str:
        return f"{value:.0f}" if value.is_integer() else format_number(value, 4)

    return "; ".join(f"{name}: **{shown(value)}**" for name, value in checked.numbers.items())


def _card(one: Statement, x_TD: Array, strengths: Mapping[str, float]) -> list[Block]:
    """A statement with its formula, the check on the tokens shown, what ends it, and its proof."""
    checked = one.check(weightless_vectors(x_TD), strengths[one.variant])
    title = find_variant(one.variant).title
    verdict = "holds" if checked.holds else "is violated"
    tone: Tone = "right" if checked.holds else "wrong"
    return [
        Text(f"**{one.number} · {one.title}** :green[theorem]"),
        Formula(one.latex),
        Text(one.statement),
        Note(f"**On these tokens ({title}) it {verdict}.** {describe_check(checked)}.", tone),
        Text(f"**What ends it:** {one.ends}"),
        Folded(f"Proof of {one.number}", [Text(line) for line in one.proof]),
    ]


def _delta(values: Values, x_TD: Array, labels: Sequence[str], beta: float) -> list[Block]:
    """One step of the delta rule."""
    place = min(values[TOKEN.key], len(labels) - 1)
    rule = DeltaRule(beta, float(values[DECAY.key]))
    keys = unit_vectors(x_TD[:, :MAX_STATE])
    step = corrections(keys, keys, x_TD[:, :MAX_STATE], rule)[place]
    token = replace(TOKEN, high=max(1, len(labels) - 1), variant=str(len(labels)))
    word = f"{place} {shorten(labels[place])}"
    return [
        Text(
            "The state S is a matrix that answers a key with a value. A token asks with its key"
            " what S holds, erases that, and writes β times the difference to its own value. Keys"
            " have length 1; here every token is its own key, query and value."
        ),
        row({**values, TOKEN.key: place}, token, DECAY),
        Text(f"**{escape_markdown(word)}**, β = {beta:g}"),
        Board(delta_board(step, rule.beta, word), "delta"),
        Text(describe_own_weights(x_TD, rule), small=True),
    ]


def describe_own_weights(x_TD: Array, rule: DeltaRule) -> str:
    """Between which numbers the own weights of all tokens lie, in words."""
    keys = unit_vectors(x_TD[:, :MAX_STATE])
    own = delta_weights(keys, keys, rule).diagonal()
    low, high = (format_number(float(number), 4) for number in (own.min(), own.max()))
    return (
        f"Of its own value each token keeps β: the own weights lie between {low} and {high}. A"
        " decay below 1 fades the state from one token to the next, and changes no own weight. Of"
        f" longer vectors the first {MAX_STATE} features are taken as the whole token."
    )


MODERN = BlockPage("modern-diagonal", lambda _: ALL_CHOICES, _blocks)
