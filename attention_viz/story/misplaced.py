"""A sentence on a number that a reshape without the swap would misplace, and tokens in quotation
marks.
"""

from collections.abc import Sequence

from attention_core.trace import head_of
from attention_lab.focus import Focus
from attention_lab.heads.layout_mistakes import find_misplaced
from attention_lab.words.numbers import format_number

from ..pieces import label_of
from .story_view import StoryView

MAX_QUOTED_CHARACTERS = 24


def misplaced_sentence(view: StoryView, field: str, focus: Focus, row: int) -> str:
    """A sentence on what a reshape without the swap would do to one number; "" if it does no harm.

    field: with one matrix per head. row: the token of the number in focus.
    """
    trace, split = view.trace, field != "head_outputs"
    heads_HTF = getattr(trace, field)[0]
    head = head_of(trace, field, focus.head)
    lost = find_misplaced(heads_HTF, head, row, focus.feature, split=split)
    if lost is None:
        return ""
    words = trace.labels(trace.axes(field)[2])
    value = format_number(float(heads_HTF[lost.head, lost.token, lost.feature]), 2)
    return (
        f"Without the swap, the reshape would put the number {value} of"
        f" {short_quote(words, lost.token)} where {short_quote(words, lost.row)} stands."
    )


def short_quote(words: Sequence[str], place: int) -> str:
    """A token as plain text in quotation marks, with its place if the word occurs twice."""
    quotation = f"“{label_of(words[place])[:MAX_QUOTED_CHARACTERS]}”"
    if words.count(words[place]) > 1:
        quotation += f" ({place})"
    return quotation
