"""What pages say of a text in pieces: which model reads it, how much of it is shown, and whether
as words.
"""

from collections.abc import Sequence

from attention_lab.trained.allowed_models import ALLOWED, STORIES
from attention_lab.weight_kinds import WRITERS
from attention_lab.whose_heads import LANGUAGE, notes_on

from .. import blocks as b
from ..markdown import escape_markdown
from ..page_choices import Select, by_name
from ..pieces import grouped
from ..story.story_view import StoryView


def which_model(view: StoryView) -> Sequence[b.Field]:
    """The control that chooses the language model, where there are several."""
    choice = Select("model", "Model", STORIES, by_name(WRITERS))
    return (b.Field(choice, view.scenario.model),) * bool(ALLOWED)


def text_notes(view: StoryView) -> Sequence[b.Text]:
    """How much of a text that is too long is shown, and whether its words are new to the model.
    Raises: AttentionError.
    """
    notes = notes_on(view.scenario, LANGUAGE, None)
    return [b.Text(escape_markdown(note), small=True) for note in notes]


def words_or_pieces(view: StoryView, tokens: Sequence[str]) -> Sequence[b.Button]:
    """The switch between words and pieces in the sentence; none where every token is a word."""
    if not grouped(tokens):
        return ()
    label = "Show words" if view.pieces else "Show pieces"
    about = "The model reads pieces of words. An arc to a word is the sum of its pieces’ shares."
    return (b.Button(label, {"pieces": not view.pieces}, about, name="words or pieces"),)
