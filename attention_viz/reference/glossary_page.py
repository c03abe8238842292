"""The page *Glossary*: every symbol of the layer in all notations, with axes and sizes; words
without one.
"""

from collections.abc import Sequence
from contextlib import suppress

from attention_core import AXES, AttentionError, Trace
from attention_lab.notation.notation import COLUMN_NOTATION, Notation
from attention_lab.notation.quantities import GlossaryRow
from attention_lab.notation.texts import NOTATIONS
from attention_lab.search import MAX_LETTERS, respelled

from .. import blocks as b
from ..block_page import BlockPage
from ..page_choices import Words
from ..story.story_view import StoryView
from .glossary import (
    elsewhere_table,
    find_in_glossary,
    glossary_table,
    glossary_texts,
    notation_table,
    searched_texts,
    word_table,
)
from .questions_page import search_notes

WORDS = Words("glossary_words", "Search", "", most=MAX_LETTERS, help="Such as width.")


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The quantities and words that are found."""
    text, trace = view.notation, None
    with suppress(AttentionError):  # the sizes are those of a layer, if the choices make one
        trace = view.trace
    typed = values[WORDS.key]
    words = respelled(typed, glossary_texts(text))
    rows, others = find_in_glossary(words, text)
    texts = [*map(searched_texts, rows), *map(searched_texts, others)]
    blocks: list[b.Block] = [
        b.Text(
            "Every quantity with its symbol, its name, its axes and sizes in your layer, and its"
            " meaning; then words without a symbol. *View* beside the page chooses the symbols that"
            " all pages show."
        ),
        b.row(values, WORDS),
        *search_notes(typed, words, texts),
    ]
    if rows:
        blocks += _quantities(rows, text, trace)
    if others:
        blocks += [b.Heading("Words without a symbol"), word_table(others)]
    return blocks


def _quantities(
    rows: tuple[GlossaryRow, ...], text: Notation, trace: Trace | None
) -> list[b.Block]:
    """The tables of the quantities that are found."""
    axes = " · ".join(f"**{letter}** {word}" for letter, word in AXES.items())
    theirs = "Where a text has no symbol or word of its own, the table shows ours and a remark."
    blocks: list[b.Block] = [
        b.Heading(text.title),
        glossary_table(rows, text, trace),
        b.Text(f"Axes: {axes}" if text.has_our_letters else theirs, small=True),
        b.Text(
            "Names `like_this` are those of our code. A formula writes sizes as $n$, $C$ or"
            " $h$. Code names the axes of an array by capitals at the end of its name:"
            " `scores_BHTS` has batch, head, query token and key token.",
            small=True,
        ),
    ]
    if (elsewhere := elsewhere_table(rows)).rows:
        blocks += [b.Heading("In code and other tools"), elsewhere]
    titles = " · ".join(
        f"**{key}** {one.title}" for key, one in NOTATIONS.items() if one is not COLUMN_NOTATION
    )
    blocks += [
        b.Heading("All texts side by side"),
        notation_table(rows),
        b.Text(
            f"A dash means that the text has no symbol. {titles}. A tilde or a hat over a"
            " letter marks a step that the text does not name.",
            small=True,
        ),
    ]
    return blocks


GLOSSARY = BlockPage("glossary", lambda _: (WORDS,), _blocks)
