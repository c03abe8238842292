"""Sentences on a stage about its numbers: what of the sentence is left out, what the last choice
changed, and weights that say little about the sentence. A button leads to the same sentence in the
language model.
"""

from collections.abc import Sequence

from attention_lab.by_hand import GENDER_AND_NUMBER, unknown_words
from attention_lab.choices import MAX_TEXT_LENGTH, resolve
from attention_lab.compare import change_notes
from attention_lab.presets import presets
from attention_lab.readings import NUMBER_HEAD, VerbNumber, verb_numbers
from attention_lab.same_word import hand_reading
from attention_lab.scenario import Scenario
from attention_lab.sentences import in_batch, tokens_of
from attention_lab.trained.allowed_models import STORIES
from attention_lab.trained.language_text import UNFAMILIAR, is_unfamiliar, language_ids
from attention_lab.weight_kinds import BY_HAND, LANGUAGE_MODEL
from attention_lab.words.numbers import format_percent
from attention_lab.words.text import Tokens, is_right_to_left

from .. import blocks as b
from ..step_scene import Note
from .misplaced import short_quote
from .story_view import StoryView

RIGHT_TO_LEFT_NOTE = (
    "The sentence is read from right to left. The boards count its positions as for every"
    " sentence: from the first token that is read."
)
MAX_NAMED, MAX_VERBS = 4, 2  # unknown words, verbs with a number
NUMBER_NAMES = {"sg": "singular", "pl": "plural"}
LONGEST_NAMED = 16  # of one of them


def choice_notes(view: StoryView) -> tuple[Note, ...]:
    """Notes on what of the sentence is left out, and on how the last choice changed the layer."""
    left_out = left_out_notes(view.scenario, tokens_of(view.shown))
    changed = change_notes(view.before, view.scenario)
    return (*map(Note, left_out), *(_with_way_back(view, one) for one in changed))


def _with_way_back(view: StoryView, text: str) -> Note:
    """A note on a change, with the button back where weights by hand have lost their meaning."""
    if view.scenario.weights != BY_HAND.name or resolve(view.scenario).handmade:
        return Note(text)
    return Note(text, "Back to the readable example", act="weights", value=BY_HAND.name)


def sentence_notes(scenario: Scenario) -> tuple[str, ...]:
    """Notes on sentences that the controls cut, and on the order of one that is written from right
    to left.
    """
    fields = {"The sentence field": scenario.text, "The field of further sentences": scenario.batch}
    order = (RIGHT_TO_LEFT_NOTE,) * is_right_to_left(scenario.text)
    cut = (note for field, text in fields.items() for note in field_notes(field, text))
    return (*order, *cut)


def left_out_notes(scenario: Scenario, tokens: Tokens) -> tuple[str, ...]:
    """Notes on what of the sentences is left out although nobody asked for it."""
    notes = sentence_notes(scenario)
    if tokens.n_left_out and not scenario.n_tokens:
        notes += tokens.notes
    return notes


def field_notes(field: str, text: str) -> tuple[str, ...]:
    """A note if a text field is full."""
    if len(text) < MAX_TEXT_LENGTH:
        return ()
    return (f"{field} holds at most {MAX_TEXT_LENGTH:,} characters; the rest is left out.",)


def random_notes(view: StoryView) -> tuple[Note, ...]:
    """The note, if a seed decides the weights of the page."""
    own = view.layer is not None or view.scenario.own
    if own or not view.run.weights.is_drawn:
        return ()
    return (_with_way_out("These random weights mean nothing."),)


def language_notes(view: StoryView) -> tuple[Note, ...]:
    """The note, if the weights are those of the language model: whose they are."""
    is_its = view.layer is None and view.run.weights.writes
    if not is_its or _is_replaced(view):
        return ()
    says = f"These are the weights of {_model_of(view)}."
    text = view.shown
    if text.model != STORIES:
        return (Note(says),)
    is_new = is_unfamiliar(language_ids(text.text, text.n_tokens))
    return (Note(f"{says} {UNFAMILIAR}" if is_new else says),)


def first_example_notes(view: StoryView) -> tuple[Note, ...]:
    """In the first example the way to the second, which shows a model that writes."""
    first, second = presets()[:2]
    if view.layer is not None or view.lesson or view.scenario != first.scenario:
        return ()
    made = "This layer was made by hand, to be read."
    return (Note(made, second.name, act="example", value=second.name),)


def verb_notes(view: StoryView, query: int | None = None) -> tuple[Note, ...]:
    """In the layer made by hand that matches gender and number: whether verbs have the number of
    the word before them, and which word they read. query: of one verb; None for all.
    """
    is_made = view.run.handmade is GENDER_AND_NUMBER
    if view.layer is not None or view.scenario.own or view.lesson or not is_made:
        return ()
    words = view.trace.labels("T")
    verbs = [one for one in verb_numbers(view.trace) if query in (None, one.verb)]
    return tuple(Note(_verb_sentence(one, words)) for one in verbs[:MAX_VERBS])


def _verb_sentence(one: VerbNumber, words: Sequence[str]) -> str:
    own, other = (NUMBER_NAMES[number] for number in one.numbers)
    verb, before = short_quote(words, one.verb), short_quote(words, one.before)
    says = f"{verb} is {own}, as {before} before it"
    if not one.agrees:
        says = f"{verb} is {own}, but {before} before it is {other}"
    if one.read is None:
        return f"{says}."
    gender = f", whose gender it gets: {one.gender}" * bool(one.gender)
    return (
        f"{says}. In head {NUMBER_HEAD} it reads most from {short_quote(words, one.read)}{gender}."
    )


def _model_of(view: StoryView) -> str:
    layer, model = view.run.chosen.layer, view.run.chosen.model
    if model != STORIES:
        return f"layer {layer} of {model}"
    return f"layer {layer} of a small language model, trained on English children’s stories"


def by_hand_notes(view: StoryView) -> tuple[Note, ...]:
    """A note, if weights by hand were chosen, on words that they do not know, and on the language
    model in their place.
    """
    if not view.chosen or not resolve(view.chosen).handmade or view.chosen.own:
        return ()
    if _is_replaced(view):
        nothing = f"The weights by hand find nothing here: {_missing(view.chosen)}"
        return (Note(f"{nothing}. So these are the weights of {_model_of(view)}."),)
    words = unknown_words([t for one in view.labels for t in one])
    unknown = f"Not in the list of words: {_named(words)}."
    return (_with_way_out(f"{unknown} The weights by hand take them as “other”."),) * bool(words)


def answer_line(view: StoryView, answer: str = "") -> list[b.Block]:
    """The answer of a page that is no step. It begins with what the page shows in the place of what
    was chosen, and why.
    """
    text = " ".join([*(note.text for note in by_hand_notes(view)), answer]).strip()
    return [b.Text(text)] if text else []


def _missing(chosen: Scenario) -> str:
    """Why weights by hand find nothing in a sentence."""
    tokens = tokens_of(in_batch(chosen, 0)).tokens
    if BY_HAND.layer(resolve(chosen).chosen).asks(tokens):
        return "no word answers, as a noun would"
    return "no word asks, as a pronoun or a verb would"


def reading_notes(view: StoryView, beside_arcs: bool = False) -> tuple[Note, ...]:
    """In a layer made by hand: what the word in focus asks for, what answers, and why it cannot
    tell some words apart. beside_arcs: where the arcs say what one word asks and another answers.
    """
    if view.layer is not None or view.scenario.own or view.scenario.edits or view.lesson:
        return ()
    trace, query = view.trace, view.focus.query
    read = hand_reading(trace, view.scenario, view.focus.head, query)
    if read is None:
        return ()
    words = trace.labels("T")
    word, share = short_quote(words, query), format_percent(read.share)
    keys = [short_quote(trace.labels("S"), key) for key in read.keys]
    asks, answers = ", ".join(read.asks), ", ".join(read.answers)
    if not read.asks:
        return (Note(f"{word} asks for nothing in this head: it reads all it sees alike."),)
    if not read.answers:
        return (_with_way_out(f"{word} asks {asks} No word that it sees answers."),)
    if len(keys) == 1:
        return (Note(f"{word} asks {asks} {keys[0]} answers {answers}."),) * (not beside_arcs)
    named, more = ", ".join(keys[:MAX_NAMED]), len(keys) - MAX_NAMED
    named += f" and {more} more" * (more > 0)
    same = f"{word} reads {share} from each of {named}. Each counts as {answers}"
    return (_with_way_out(f"{same}: this head cannot tell them apart."),)


def _with_way_out(text: str) -> Note:
    """A note with the button to the language model."""
    label = "The same sentence in a language model"
    return Note(text, label, act="weights", value=LANGUAGE_MODEL.name)


def _is_replaced(view: StoryView) -> bool:
    """Whether the language model stands in the place of weights by hand."""
    return view.chosen is not None and view.chosen.weights != view.scenario.weights


def _named(words: tuple[str, ...]) -> str:
    """Some words in quotation marks, and the number of the others."""
    named = [
        f"“{word if len(word) <= LONGEST_NAMED else word[: LONGEST_NAMED - 1] + '…'}”"
        for word in words[:MAX_NAMED]
    ]
    more = len(words) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
