"""The controls and cards of today's variants, and of the delta rule step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from attention_core.checks import Array
from attention_lab.diagonal.modern.delta_rule import (
    Correction,
    DeltaRule,
    corrections,
    delta_weights,
    unit_vectors,
)
from attention_lab.diagonal.modern.statements import Checked, Statement
from attention_lab.diagonal.modern.variants import (
    VARIANTS,
    Looks,
    Variant,
    drawn_vectors,
    find_variant,
    weightless_vectors,
)
from attention_viz.labels import format_number, shorten
from attention_viz.markdown import escape_markdown

from ..url_state import PERSISTENCE, cell_places, draw_bound, set_places

MAX_STATE = 8  # features of a state whose numbers can be read
DECAYS = ("1", "0.9", "0.5", "0")
Runs = Sequence[tuple[Variant, Looks]]


def label_of(variant: Variant, value: float) -> str:
    """A strength as its slider shows it."""
    if variant.key == "alibi":
        return f"1/{round(1 / value)}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def choose_strengths() -> dict[str, float]:
    """Draw a slider for each variant that has a number; give the numbers by variant."""
    found = {one.key: one.usual for one in VARIANTS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for one in VARIANTS:
            if not one.strength:
                continue
            labels = {label_of(one, value): value for value in one.choices}
            held = draw_bound(
                st.select_slider,
                one.strength,
                tuple(labels),
                label_of(one, one.usual),
                key=f"modern_{one.key}",
                width=116,
                **PERSISTENCE,
            )
            found[one.key] = labels.get(str(held), one.usual)
    return found


def run_variants(x_TD: Array, strengths: Mapping[str, float]) -> tuple[Runs, Runs]:
    """Every variant on the tokens without weights, and with two drawn matrices."""
    given = (weightless_vectors(x_TD), drawn_vectors(x_TD))
    plain, drawn = (
        [(one, one.run(vectors, strengths[one.key])) for one in VARIANTS] for vectors in given
    )
    return plain, drawn


def pinned_cell(n_tokens: int) -> tuple[str, int, int]:
    """The variant and the cell that a click pinned; the first cell of the seeds without one."""
    sizes = (len(VARIANTS), n_tokens, n_tokens)
    held = cell_places("modern_cell", "Cell", "", sizes, "A cell is three whole numbers: 0-0-1")
    number, row, column = held or (0, 0, 0)
    return VARIANTS[number].key, row, column


def pin_cell(array: str, index: Sequence[int]) -> None:
    """Pin a clicked cell; for callbacks of boards."""
    keys = [one.key for one in VARIANTS]
    if array in keys:
        set_places("modern_cell", keys.index(array), *index[-2:])


def variants_table(plain: Runs, drawn: Runs, n_tokens: int) -> str:
    """The measures of all variants as Markdown."""
    lines = [
        "| Variant | Rows that peak on the diagonal | Own weight | Ties | With drawn W_Q, W_K:"
        " rows | Own weight |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for (one, looks), (_, other) in zip(plain, drawn, strict=True):
        lines.append(
            f"| **{one.title}**: {one.description} | {looks.rows_on_diagonal} of {n_tokens} |"
            f" {looks.own_weight:.3f} | {looks.ties} | {other.rows_on_diagonal} of {n_tokens} |"
            f" {other.own_weight:.3f} |"
        )
    return "\n".join(lines)


def describe_check(checked: Checked) -> str:
    """The result of a check with its numbers, as Markdown."""
    badge = {True: ":green-badge[holds]", False: ":red-badge[violated]"}[checked.holds]
    shown = (
        (name, f"{value:.0f}" if value.is_integer() else format_number(value, 4))
        for name, value in checked.numbers
    )
    numbers = "; ".join(f"{name}: **{value}**" for name, value in shown)
    return f"{badge} {numbers}."


def show_statement(one: Statement, x_TD: Array, strengths: Mapping[str, float]) -> None:
    """A statement with its formula, the check on the tokens shown, what ends it, and its proof."""
    checked = one.check(weightless_vectors(x_TD), strengths[one.variant])
    with st.container(border=True, height="stretch"):
        title = find_variant(one.variant).title
        st.markdown(f"**{one.number} · {one.title}** :green-badge[:material/verified: theorem]")
        st.latex(one.latex)
        st.markdown(one.statement)
        st.markdown(f"**On these tokens ({title}):** {describe_check(checked)}")
        st.markdown(f"**What ends it:** {one.ends}")
        proof = st.popover(
            "Proof", icon=":material/menu_book:", key=f"proof {one.number}", on_change="rerun"
        )
        with proof:
            if proof.open:
                for place, line in enumerate(one.proof, 1):
                    st.markdown(f"{place}. {line}")


def choose_step(
    x_TD: Array, labels: Sequence[str], beta: float
) -> tuple[Correction, str, DeltaRule]:
    """Draw the token and the decay of the delta rule; give its step, the token's name, the rule."""
    names = [f"{number} {shorten(word)}" for number, word in enumerate(labels)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = draw_bound(
            *(st.slider, "Token", 0, 63, 1), key="modern_token", width=220, **PERSISTENCE
        )
        decay = draw_bound(
            *(st.select_slider, "Decay of the state", DECAYS, "1"),
            key="modern_decay",
            width=180,
            **PERSISTENCE,
        )
        place = min(int(place), len(names) - 1)
        st.markdown(f"**{escape_markdown(names[place])}**, β = {beta:g}")
    rule = DeltaRule(beta, float(decay or 1))
    keys = unit_vectors(x_TD[:, :MAX_STATE])
    steps = corrections(keys, keys, x_TD[:, :MAX_STATE], rule)
    return steps[place], names[place], rule


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
