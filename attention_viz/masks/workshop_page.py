"""The page *Mask workshop*: masks combined and painted, on a batch of sentences of different
lengths.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from attention_core import TextError
from attention_core.checks import Array
from attention_lab.choices import DECLARED, MAX_TEXT_LENGTH
from attention_lab.mask_kinds import MASKS
from attention_lab.masks.encoder_decoder import other_sentence
from attention_lab.masks.facts import WorkshopFacts, workshop_facts
from attention_lab.masks.hiding import DEFAULT_BIAS
from attention_lab.masks.mask_workshop import WORKSHOP_MASKS, MaskedBatch, masked_batch
from attention_lab.user_data.painted_masks import mask_from_text, mask_to_text

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown, quote_token
from ..page_choices import Number, Select, Several, Words, by_name
from ..story.story_view import StoryView
from . import mask_workshop as boards
from .experiments import EXPERIMENTS, PAINTED, Experiment, choose_cell
from .sentences import cut_note, within

SECOND = Words("mw_second", "Second sentence", "The street was wide and empty", MAX_TEXT_LENGTH)
THIRD = Words("mw_third", "Third sentence", "It slept well", MAX_TEXT_LENGTH)
CHOSEN = Several(
    "mw_masks",
    "Masks",
    ("causal", "padding"),
    by_name(WORKSHOP_MASKS),
    help=(
        "A query may see a key only if every chosen mask allows it. These masks replace that of the"
        " sidebar."
    ),
)
MOST_TOKENS = 16  # of a width here
# What masks ask for, by the names of the layer's own choices.
ASKED = {
    name: Number(
        f"mw_{name}",
        DECLARED[name].label,
        DECLARED[name].default,
        low=0,
        high=MOST_TOKENS,
        look="scale",
        help=DECLARED[name].help,
    )
    for mask in WORKSHOP_MASKS
    for name in MASKS[mask].asks
    if DECLARED[name].kind == "whole"
}
SEQUENCE = Select("mw_sequence", "Sequence", "0", by_name(("0", "1", "2")), "buttons")
TRY = Select("mw_try", "Experiment", "paint a mask", by_name(EXPERIMENTS), "buttons")
BIAS = Number(
    "mw_bias", "The finite bias", DEFAULT_BIAS, low=-20.0, high=0.0, step=0.5, look="scale"
)
WITH_BIAS = ("how to hide", "mask or scale first")
# The URL holds it as that of the layer, which may be the same mask.
PAINTING = Words(
    PAINTED,
    "Painted mask",
    "",
    MAX_TEXT_LENGTH,
    reads=lambda text: mask_to_text(mask_from_text(text)) if text else "",
)


def _masked(view: StoryView, values: b.Values, others: Sequence[str]) -> MaskedBatch:
    """The batch under its masks. Raises: AttentionError."""
    asked = {name: values[choice.key] for name, choice in ASKED.items()}
    scenario = replace(view.scenario, painted=values[PAINTED], **asked)
    return masked_batch(scenario, tuple(others), values[CHOSEN.key])


def _facts(view: StoryView, values: b.Values) -> WorkshopFacts:
    masked = _masked(view, values, tuple(_others(view, values)[0].values()))
    n, _ = within("sequence", int(values[SEQUENCE.key]), len(masked.sentences))
    return workshop_facts(masked, view.focus.head, (n, view.focus.query, view.focus.key))


def _blocks(view: StoryView, values: b.Values, facts: WorkshopFacts) -> Sequence[b.Block]:
    """The batch under its masks, and an experiment. Raises: AttentionError."""
    n_tokens, chosen = view.trace.sizes["T"], values[CHOSEN.key]
    others, notes = _others(view, values)
    masked = _masked(view, values, tuple(others.values()))
    n, beyond = within("sequence", int(values[SEQUENCE.key]), len(masked.sentences))
    if beyond:
        notes.append(b.caption(beyond))
    for name, one in zip(others, masked.sentences[1:], strict=True):
        if note := cut_note(f"{name} sentence", one.n_real, one.n_left_out, view.scenario):
            notes.append(b.caption(note))
    head, cell = view.focus.head, (n, view.focus.query, view.focus.key)
    scene = boards.sequences_board(masked, head, cell, view.notation)
    names = [name for mask in chosen for name in MASKS[mask].asks if name in ASKED]
    widths = [ASKED[name] for name in names]
    bias = (BIAS,) if values[TRY.key] in WITH_BIAS else ()
    paint = partial(_paint, chosen)
    setup = Experiment(view, masked, head, cell, values[BIAS.key], values[PAINTED], paint)
    shapes = [f"{name} {' × '.join(map(str, mask.shape))}" for name, mask in masked.masks.items()]
    return [
        b.row(values, SECOND, THIRD, CHOSEN, *widths, SEQUENCE),
        *notes,
        b.Board(scene, "batch", fits=True, press=choose_cell),
        b.caption(
            "Above: masked scores, below: shares. Hatched cells are hidden. Shorter sentences are"
            " filled up with [pad]. Shape of the scores (sequences × heads × queries × keys):"
            f" {len(masked.sentences)} × {view.trace.sizes['H']} × {n_tokens} × {n_tokens}. Shapes"
            f" of the masks in NumPy: {', '.join(shapes) or 'no mask'}. An axis of length 1, or a"
            " missing axis, counts for all."
        ),
        b.Text(_of_cell(setup, facts)),
        b.Heading("Try"),
        b.row(values, TRY, *bias),
        *EXPERIMENTS[values[TRY.key]](setup),
    ]


def _others(view: StoryView, values: b.Values) -> tuple[dict[str, str], list[b.Block]]:
    """The sentences besides that of the sidebar, by the names of their fields, and a note for each
    that has no word. Raises: SettingsError, FileError.
    """
    texts: dict[str, str] = {}
    notes: list[b.Block] = []
    for name, choice in (("second", SECOND), ("third", THIRD)):
        if not (text := values[choice.key]).strip():
            continue
        try:
            other_sentence(view.scenario, text, view.trace.sizes["T"])
        except TextError as error:
            says = f"{choice.label}: {error}. Until then no sentence is used."
            notes.append(b.Note(escape_markdown(says), "wrong"))
        else:
            texts[name] = text
    return texts, notes


def _paint(masks: Sequence[str], painted_TT: Array) -> b.Values:
    """What holds a painted mask as text, and chooses it among the masks."""
    text = "" if painted_TT.all() else mask_to_text(painted_TT)
    chosen = tuple(one for one in WORKSHOP_MASKS if one in (*masks, PAINTED))
    return {PAINTED: text, CHOSEN.key: chosen}


def _of_cell(setup: Experiment, facts: WorkshopFacts) -> str:
    """What hides the chosen key from the chosen query, or the share that it gets."""
    _, query, key = setup.cell
    asking, asked = (quote_token(setup.tokens, place) for place in (query, key))
    if facts.hidden_by:
        return (
            f"In sequence {facts.sequence}, the :red[key {asked}] is **hidden** from the"
            f" :blue[query {asking}] by: **{', '.join(facts.hidden_by)}**."
        )
    return (
        f"In sequence {facts.sequence}, the :blue[query {asking}] reads {facts.share} from the"
        f" :red[key {asked}] in head {facts.head}."
    )


MASK_WORKSHOP = page_of_facts(
    "mask-workshop",
    lambda _: (SECOND, THIRD, CHOSEN, *ASKED.values(), SEQUENCE, TRY, BIAS, PAINTING),
    _facts,
    _blocks,
)
