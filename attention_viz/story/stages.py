"""The finished scene of every step of the story: its board with words, formula, notes, choices and
question. The app, hand-outs and the static site show the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, TypeVar

from attention_core import STEPS
from attention_lab.choices import DECLARED, options_on
from attention_lab.focus import Focus
from attention_lab.guesses import as_data, guess_beside
from attention_lab.mask_kinds import CAUSAL, NO_MASK
from attention_lab.next_token import next_token_of
from attention_lab.notation.formulas import formula
from attention_lab.notation.notation import symbol
from attention_lab.page_list import Page, PageRow, option_of, page_of, page_row
from attention_lab.presets import in_model
from attention_lab.sentences import embedding_of, tokens_of
from attention_lab.story.cuts import compared, explained_field, row_of
from attention_lab.trained.language_model import D_MODEL, N_HEADS, N_LAYERS
from attention_lab.weight_kinds import LANGUAGE_MODEL
from attention_lab.words.embeddings import is_sum_of_words
from attention_lab.words.numbers import Share

from ..overview import overview
from ..payload import JSON
from ..sentence import with_sentence
from ..step_scene import Choice, Note, StepParts, mathml, stage_board, strip_board
from .batch import BatchField, with_batch
from .block import block_parts
from .cutting import HEAD_FIELDS, merge_board, split_board
from .misplaced import misplaced_sentence, short_quote
from .next_token import next_token_board
from .notes import (
    by_hand_notes,
    choice_notes,
    first_example_notes,
    language_notes,
    random_notes,
    reading_notes,
    verb_notes,
)
from .per_head import (
    mask_board,
    mixing_board,
    norm_board,
    rotary_board,
    scale_board,
    scores_board,
    softmax_board,
)
from .products import (
    PROJECTION_FACTORS,
    inputs_board,
    output_board,
    projection_board,
)
from .step_reasons import reasons_of
from .story_view import StoryView

OVERVIEW_FIELD = "probabilities"  # the field that the overview shows for each sequence
OVERVIEW_SENTENCE = "Point at a word; click an arc or a matrix."
EXAMPLE_MASK = CAUSAL.name
EXAMPLE_NOTE = Note(
    f"The layer has no mask: this is what a {EXAMPLE_MASK} one would hide.",
    "Use it in every step",
    act="mask",
    value=EXAMPLE_MASK,
)
# What the steps of options show where their option is off.
OPTION_CHOICES: Mapping[str, Mapping[str, Any]] = {
    "qk-norm": {"qk_norm": True},
    "rotary": {"rotary": "neighbours"},
    "next-token": {"weights": LANGUAGE_MODEL.name},
}
EXAMPLE_NOTES = {
    path: Note(
        f"The layer has no {what}: this is what it would do. Switch it on under Modern attention."
    )
    for path, what in {"qk-norm": "QK-norm", "rotary": "rotary positions"}.items()
} | {
    "next-token": Note(
        "This layer is no part of a model that writes. Here is another, trained model: layer"
        f" {N_LAYERS - 1} of {N_LAYERS}, {D_MODEL} features, {N_HEADS} heads.",
        "Use it in every step",
        act="weights",
        value=LANGUAGE_MODEL.name,
    )
}
View = TypeVar("View", bound=StoryView)


def stage_of(view: StoryView, path: str) -> JSON:
    """The scene of a step, or of the strip above a page of the story that is no step.

    path: of the page in the URL. Raises: AttentionError if the choices make no layer.
    """
    if path not in STEPS_OF_STORY:
        return strip_of(view, path)
    stage = step_scene(view, path)
    if len(view.sentences) == 1:
        return stage
    return with_batch(stage, batch_of(view, path, stage), view.sentences, view.focus.head)


def step_scene(view: StoryView, path: str) -> JSON:
    """The scene of a step with the sentence that is shown, without pictures of a batch. Raises:
    AttentionError.
    """
    page, shown = page_of(path), shown_view(view, path)
    parts = STEPS_OF_STORY[path](shown)
    if shown.run.chosen != view.run.chosen:
        parts = replace(parts, notes=(EXAMPLE_NOTES.get(path, EXAMPLE_NOTE),))
    if shown.scenario.weights == view.scenario.weights:
        parts = replace(parts, notes=(*by_hand_notes(shown), *parts.notes))
    head = shown.focus.head if "head" in page.looks_into else None
    board = with_sentence(parts.board, shown.stage, head, shown.focus.query)
    row = page_row(page.section, options_on(view.scenario))
    return stage_board(board, _words(shown, page, parts, row))


def shown_view(view: View, path: str) -> View:
    """The view as a step shows it: the mask step has a causal mask where the layer has none, unless
    no mask was chosen; the steps of options are shown with their option.
    """
    is_off = path in OPTION_CHOICES and option_of(page_of(path)) not in options_on(view.scenario)
    view = replace(view, chosen=view.chosen or view.scenario)
    if path == "next-token":
        return _at_the_end(view, is_off)
    if is_off:
        return replace(view, scenario=replace(view.scenario, **OPTION_CHOICES[path]), layer=None)
    if path == "mask":
        mask = EXAMPLE_MASK if _lacks_mask(view) else view.run.chosen.mask
        return replace(view, scenario=replace(view.scenario, mask=mask))
    return view


def _at_the_end(view: View, is_off: bool) -> View:
    """The view with the last token in focus; in the language model if it is off."""
    focus = view.focus
    if is_off:
        scenario, cell = in_model(view.scenario, LANGUAGE_MODEL.name)
        view = replace(view, scenario=scenario, layer=None)
        focus = replace(Focus(*cell), head=focus.head)
    last = tokens_of(view.shown).n_real - 1
    return replace(view, focus=replace(focus, query=last).inside(view.trace))


def batch_of(view: StoryView, path: str, stage: JSON) -> BatchField:
    """The field of a batch that a step shows. stage: its scene, whose cell is marked in the
    sequence that is shown.
    """
    view = shown_view(view, path)
    fields = {
        "overview": OVERVIEW_FIELD,
        **dict.fromkeys(("block", "next-token"), "output"),
    }
    field, cell = fields.get(path) or explained_field(page_of(path), view.which), stage["cell"]
    index = [view.focus.query, 0]
    if STEPS[field].per_head:
        index = [view.focus.head, *index]
    if cell["array"] == field:
        index = cell["index"][1:]
    return BatchField(view.batch, field, view.sequences, view.sequence, index, view.notation)


def _lacks_mask(view: StoryView) -> bool:
    is_bare = view.run.chosen.mask == NO_MASK.name and len(view.sentences) == 1
    return is_bare and not view.unmasked


def _words(view: StoryView, page: Page, parts: StepParts, row: PageRow) -> JSON:
    """The words around the picture of a step. Those of a lesson take the place of its own sentence,
    which may hold the answer to the question of the lesson.

    says: one sentence of plain text; reasons: three more, if any. notes: sentences about the
    numbers. hide: whether the result is covered; lecture: whether the stage is shown alone.
    lesson: which moment of a lesson this is, if any; covers: what its question covers. guess: the
    question that is asked first.
    """
    says, latex = parts.says, parts.more
    if parts.field:
        says = view.trace.sentence(parts.field, view.layout)
        latex = formula(view.trace, parts.field, view.notation) + parts.more
    count, chosen = 1, 0
    if "head" in page.looks_into:
        count, chosen = view.trace.sizes["H"], view.focus.head
    return row_links(row, page) | {
        "title": page.title,
        "question": page.question.replace("W_O", symbol("w_o", view.notation).plain),
        "says": "" if view.lesson else f"{says} {parts.also}".strip(),
        "formula": mathml(latex),
        "choices": list(map(asdict, parts.choices)),
        "notes": list(map(asdict, (*choice_notes(view), *parts.notes))),
        "heads": {"count": count, "chosen": chosen, "axis": "H"},
        "hide": view.hide,
        "lecture": view.present,
        "lesson": view.lesson,
        "covers": view.covers,
        "guess": _guess(view, parts),
        "reasons": None if view.lesson else asdict(reasons_of(view, page.url_path, parts.board)),
    }


def _guess(view: StoryView, parts: StepParts) -> JSON | None:
    """The question beside the cell in focus, or None: a lesson has its own questions."""
    field, cell = parts.field, parts.board.get("cell")
    if view.lesson or not cell or cell["array"] != field:
        return None
    words, array = None, parts.board["arrays"][field]
    if field == "inputs":
        embedding = embedding_of(view.shown)
        if is_sum_of_words(view.trace, embedding):
            words = embedding.words
    starts = array.get("start", [0] * len(array["shape"]))
    spans = [(start, start + n) for start, n in zip(starts, array["shape"], strict=True)][1:]
    names = _column_names(array, cell["index"])
    guess = guess_beside(view.trace, field, cell["index"], spans, words, names)
    return as_data(guess) | {"first": view.guess} if guess else None


def _column_names(array: JSON, index: Sequence[int]) -> tuple[str, ...]:
    """The names of the columns of the matrix with a cell, if they have names."""
    names = array.get("names", {}).get(str(len(index) - 1), {"labels": [], "by": None})
    labels = names["labels"] if names["by"] is None else names["labels"][index[names["by"]]]
    return tuple(labels)


def row_links(row: PageRow, here: Page) -> JSON:
    """The row of pages as a board gets it, with the place of the page that is shown, and how many
    stand before the line.
    """
    steps = [{"title": page.title, "path": page.url_path} for page in row.pages]
    return {"steps": steps, "place": row.pages.index(here), "further": len(row.lecture)}


def strip_of(view: StoryView, path: str) -> JSON:
    """The row of pages of a chapter alone, above a page without a stage."""
    page = page_of(path)
    row = page_row(page.section, options_on(view.scenario))
    return strip_board(row_links(row, page), path == "seen", view.present, view.lesson)


def _overview(view: StoryView) -> StepParts:
    head, query, key = view.focus.cell("query", "key")
    n_batch, also = len(view.sentences), ""
    if n_batch > 1:
        also = f"A batch of {n_batch} sentences runs; sentence {view.sequence} is shown."
    picture = overview(view.stage, head, query, key)
    notes = _weights_notes(view) or verb_notes(view) or first_example_notes(view)
    notes = notes or reading_notes(view, beside_arcs=True)
    return StepParts("", picture, says=OVERVIEW_SENTENCE, also=also, notes=notes)


def _weights_notes(view: StoryView) -> tuple[Note, ...]:
    return random_notes(view) or language_notes(view)


def _notes_of_query(view: StoryView) -> tuple[Note, ...]:
    return _weights_notes(view) or verb_notes(view, view.focus.query) or reading_notes(view)


def _tokens(view: StoryView) -> StepParts:
    embedding, feature = embedding_of(view.shown), view.focus.within(view.trace, "inputs").feature
    board = inputs_board(view.stage, embedding, view.focus.query, feature, not view.whole)
    made = is_sum_of_words(view.trace, embedding)
    latex = r" = E_{\text{words}} + P_{\text{positions}}" * made
    return StepParts("inputs", board, more=latex)


def _projections(view: StoryView) -> StepParts:
    place = view.focus.within(view.trace, view.which)
    cell = (place.head, row_of(view.which, place), place.feature)
    board = projection_board(view.stage, view.which, cell, not view.whole)
    return StepParts(view.which, board, choices=_three(view))


def _split(view: StoryView) -> StepParts:
    field = HEAD_FIELDS[view.which]
    place = view.focus.within(view.trace, field)
    row = row_of(view.which, place)
    board = split_board(view.stage, view.which, (place.head, row, place.feature), not view.whole)
    also = misplaced_sentence(view, field, place, row)
    return StepParts(field, board, also=also, choices=_three(view))


def _three(view: StoryView) -> tuple[Choice]:
    """The choice between queries, keys and values."""
    return (Choice("which", "Which of the three", tuple(PROJECTION_FACTORS), view.which),)


def _of_compared(view: StoryView, kind: str, board: Callable[..., JSON]) -> StepParts:
    """A step of queries or of keys that an option adds. kind: "normed" or "turned"."""
    which = compared(view.which)
    made = board(view.stage, field := f"{kind}_{which}", view.focus.index(view.trace, field)[1:])
    choice = Choice("which", "Which of the two", ("queries", "keys"), which)
    return StepParts(field, made, choices=(choice,))


def _scores(view: StoryView) -> StepParts:
    board = scores_board(view.stage, view.focus.cell("query", "key"))
    return StepParts("scores", board, notes=_notes_of_query(view))


def _scale(view: StoryView) -> StepParts:
    trace = view.trace
    sign, width = symbol("scale", view.notation).latex, view.notation.width(trace, "d_k")
    how = ""
    if view.scenario.scaling == "on":
        how = rf"\frac{{1}}{{\sqrt{{{width}}}}} = \frac{{1}}{{\sqrt{{{trace.sizes['K']}}}}} = "
    board = scale_board(view.stage, view.focus.cell("query", "key"))
    return StepParts("scaled_scores", board, more=rf", \quad {sign} = {how}{trace.scale:.4g}")


def _mask(view: StoryView) -> StepParts:
    return StepParts("masked_scores", mask_board(view.stage, view.focus.cell("query", "key")))


def _softmax(view: StoryView) -> StepParts:
    board = softmax_board(view.stage, view.focus.cell("query", "key"))
    return StepParts("probabilities", board, notes=_notes_of_query(view))


def _mixing(view: StoryView) -> StepParts:
    place = view.focus.within(view.trace, "head_outputs")
    return StepParts("head_outputs", mixing_board(view.stage, place.cell("query", "feature")))


def _merge(view: StoryView) -> StepParts:
    place = view.focus.within(view.trace, "merged")
    board = merge_board(view.stage, place.cell("query", "feature"), not view.whole)
    also = misplaced_sentence(view, "head_outputs", place, place.query)
    return StepParts("merged", board, also=also)


def _output(view: StoryView) -> StepParts:
    place = view.focus.within(view.trace, "output")
    return StepParts("output", output_board(view.stage, place.query, place.feature, not view.whole))


def _next_token(view: StoryView) -> StepParts:
    next_token, head = next_token_of(view.shown), view.focus.head
    board = next_token_board(next_token, head)
    first = short_quote(next_token.pieces, 0)
    share = Share(next_token.shares(next_token.run)[next_token.shown[0]])
    says = f"After this sentence the model says {first} with {share}."
    if next_token.is_touched:
        before = Share(next_token.shares(next_token.plain)[next_token.shown[0]])
        says = f"With your changes {first} has {share}; without them {before}."
    off = Choice("without", "switch off head", _heads_off(view), view.scenario.without, named=True)
    latex = r"p = \mathrm{softmax}\big(\mathrm{norm}(x + \text{all parts})\, E^{T}\big)"
    return StepParts("", board, says=says, more=latex, choices=(off,), notes=language_notes(view))


def _heads_off(view: StoryView) -> tuple[str, ...]:
    """The heads of the layer that can be switched off, and none."""
    return DECLARED["without"].options[: view.trace.sizes["H"] + 1]


STEPS_OF_STORY: Mapping[str, Callable[[StoryView], StepParts]] = {
    "overview": _overview,
    "tokens": _tokens,
    "projections": _projections,
    "split": _split,
    "qk-norm": partial(_of_compared, kind="normed", board=norm_board),
    "rotary": partial(_of_compared, kind="turned", board=rotary_board),
    "scores": _scores,
    "scale": _scale,
    "mask": _mask,
    "softmax": _softmax,
    "mixing": _mixing,
    "merge": _merge,
    "output": _output,
    "block": block_parts,
    "next-token": _next_token,
}
