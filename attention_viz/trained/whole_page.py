"""The page *The whole model*: one picture from the prompt to the next word, with a door at every
number.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from attention_lab.trained.decoder import Head
from attention_lab.trained.whole_model import WholeFacts, WholeModel, whole_facts, whole_model
from attention_lab.whose_heads import LANGUAGE, STORY_WEIGHTS, HeadsShown
from attention_lab.words.numbers import as_sum

from .. import blocks as b
from ..markdown import escape_markdown
from ..page_choices import Choice, Places, Select
from ..story.story_view import StoryView
from .head_pages import ALL_HEADS, CELL, HEAD, LAYER, MODEL, OFF, OPEN, HeadPage, all_on, head_name
from .whole_model import CHIPS, NEXT, OF_LAYER, PARTS, whole_board
from .why_word_sums import ABOUT_LENS, ADDED, run_sum_board
from .writing import WRITTEN

AVERAGE = "average"
ARCS_OF, ROW, CHIP = "wm_arcs", "wm_row", "wm_chip"
BACK = "Back to the whole model"


def _choices(shown: HeadsShown) -> Sequence[Choice]:
    sizes = shown.maps.sizes
    places_LH = np.ndindex(sizes["L"], sizes["H"])
    heads = {f"{layer}.{head}": head_name((layer, head)) for layer, head in places_LH}
    places = partial(Places, size=max(sizes["L"], sizes["T"], 64), default=())
    return (
        Select(ARCS_OF, "Arcs", AVERAGE, {AVERAGE: "all heads"} | heads),
        places(ROW, "Opened layers", most=1),
        places(CHIP, "Opened sum: layer and word", most=2),
        *((WRITTEN,) if shown.model == LANGUAGE else ()),
    )


def _beside(values: b.Values, shown: HeadsShown) -> Sequence[b.Field | b.Button]:
    """Whose arcs are shown, a word more or less, and heads off and on."""
    found: list[b.Field | b.Button] = [b.Field(_choices(shown)[0], values[ARCS_OF])]
    if shown.run is None:
        return found
    whole = whole_model(shown.maps, shown.run, False, tuple(values.get(WRITTEN.key, ())))
    if WRITTEN.key in values:
        if more := whole.one_more:
            found.append(b.Button("Write a word", {WRITTEN.key: more}, name="write"))
        if values[WRITTEN.key]:
            found.append(b.Button("Start again", {WRITTEN.key: ()}))
    is_first = whole.thick and not shown.off and not whole.n_written  # later there is no room
    head = _head(values) or (whole.thick[0][:2] if is_first else None)
    if head and head not in shown.off:
        places = (*values[OFF.key], head[0] * shown.maps.sizes["H"] + head[1])
        found.append(b.Button(f"Switch off {head_name(head)}", {OFF.key: places}, name="switch"))
    return [*found, *all_on(shown.off)]


def whole_of(view: StoryView, values: b.Values, shown: HeadsShown) -> WholeModel:
    """The model on the text and what was written. Raises: AttentionError."""
    return whole_model(shown.maps, shown.run, view.pieces, tuple(values.get(WRITTEN.key, ())))


def _facts(view: StoryView, values: b.Values, shown: HeadsShown) -> WholeFacts:
    return whole_facts(whole_of(view, values, shown), _place(values))


def _place(values: b.Values) -> tuple[int, int] | None:
    """The layer and the word whose sum is open."""
    match values[CHIP]:
        case (int(layer), int(word)):
            return layer, word
    return None


def _blocks(
    view: StoryView, values: b.Values, shown: HeadsShown, facts: WholeFacts
) -> Sequence[b.Block]:
    whole = whole_of(view, values, shown)
    if (place := _place(values)) and whole.run and facts.sum:
        return _sum(whole, place, facts, shown)
    opened, head = (*values[ROW], None)[0], _head(values)
    before = whole.with_all_heads if whole.run and whole.run.decoder.off else None
    board = whole_board(whole, head, opened, before)
    press = partial(_pressed, whole, shown, head, opened)
    return [
        b.Text(_answer(facts)),
        b.Board(board, "whole", fits=True, press=press),
        b.caption(_legend(whole, facts)),
        *([b.Folded("What is the logit lens?", [b.Text(ABOUT_LENS)])] if whole.run else []),
    ]


def _head(values: b.Values) -> Head | None:
    if values[ARCS_OF] == AVERAGE:
        return None
    layer, head = values[ARCS_OF].split(".")
    return int(layer), int(head)


def _answer(facts: WholeFacts) -> str:
    """What comes next, from which layer on, and which head brings it."""
    if not facts.answer:
        return (
            "This model says no next word, so its chips hold the words themselves. An arc is what a"
            " word reads in a layer."
        )
    answer = escape_markdown(facts.answer)
    says = f"After “{escape_markdown(facts.last)}” comes **{answer}** with **{facts.share}**"
    if facts.was:
        says += f"; with all heads on, {escape_markdown(facts.was[0])} with {facts.was[1]}"
    elif facts.earlier and facts.since:
        word, share = facts.earlier
        says += (
            f". It appears in layer {facts.since}; after layer {facts.since - 1} it is still"
            f" {escape_markdown(word)}, {share}"
        )
    if facts.carrier:
        says += (
            f". Head {facts.carrier.head} of layer {facts.carrier.layer} adds most: it reads"
            f" **{facts.carrier.read}** from “{escape_markdown(facts.carrier.word)}”"
        )
    says += "."
    return says


def _legend(whole: WholeModel, facts: WholeFacts) -> str:
    left = f" {facts.left_out} words have no room: the slider shows them." if facts.left_out else ""
    added = f", {facts.carrier.added} of its logit above the average piece" if facts.carrier else ""
    if whole.run is None:
        return f"Arcs are the average of all heads of a layer.{left}"
    return (
        "A chip is what the model would write next after this layer, as if no layer followed"
        " (**logit lens**); its filled part is the share. Blue: from this layer on it stays the"
        " last answer of its word. Purple: the answer of the text. Grey arcs: what all heads of a"
        f" layer read on average. Purple arc: the heads that add most to the answer{added}.{left} A"
        " written word adds one column, and no other column changes: that is what"
        " [a cache](cache) uses."
    )


def _pressed(
    whole: WholeModel,
    shown: HeadsShown,
    head: Head | None,
    opened: int | None,
    array: str,
    index: Sequence[int],
) -> b.Link | dict[str, object]:
    """What a click opens: the sum of a chip, the eight products of an arc, a step of the story."""
    rows = whole.rows(opened)[::-1]
    row = index[0] // len(OF_LAYER) if array == PARTS else index[0]
    if row >= len(rows):
        return _story(whole, shown, "tokens", 0, (0, index[1], index[1]))
    layers, last = rows[row], len(whole.words) - 1
    if array == CHIPS:
        return {CHIP: (layers[-1], index[1])} if whole.run else {}
    if array == NEXT:
        return b.Link("", "why-this-word", {"why_token": str(whole.first_pieces[index[1]])})
    if len(layers) > 1 and array == PARTS:
        return {ROW: (whole.rows().index(layers),)}
    if array == PARTS:
        step = "scores" if OF_LAYER[index[0] % len(OF_LAYER)] == "attention" else "block"
        source = int(whole.read(layers[0])[last].argmax())
        return _story(whole, shown, step, layers[0], (0, last, source))
    word, source = index[1:]
    thick = [
        one for one in whole.thick if one.layer in layers and (last, one.word) == (word, source)
    ]
    if thick:
        at = thick[0].layer, thick[0].head
    else:
        at = (
            head
            if head and head[0] in layers
            else (layers[0], whole.most_reading(layers[0], word, source))
        )
    return _story(whole, shown, "scores", at[0], (at[1], word, source))


def _story(
    whole: WholeModel, shown: HeadsShown, step: str, layer: int, cell: tuple[int, int, int]
) -> b.Link | dict[str, object]:
    """The step of the story on a layer, at a head, a word and a word that it reads; of heads that
    the story does not know the page of one head.
    """
    head, word, _ = cell
    query, key = whole.columns[word].stop - 1, whole.piece_read(layer, *cell)
    if weights := STORY_WEIGHTS.get(shown.model):
        sets = {"weights": weights, "layer": layer, "scaling": "on", "mask": "none"}
        return b.Link("", step, sets | {"head": head, "query": query, "key": key})
    sets = {MODEL.key: shown.model, OPEN.key: True, LAYER: layer, HEAD: head}
    return b.Link("", ALL_HEADS, sets | {CELL: f"{query}-{key}-0"})


def _sum(
    whole: WholeModel, place: tuple[int, int], facts: WholeFacts, shown: HeadsShown
) -> list[b.Block]:
    """The sum of a chip, in the place of the picture."""
    layer, word = place
    run, said = whole.cut_at(layer, word), whole.said[layer][word]
    embedding, heads, feed_forward, total = facts.sum
    last = f"{feed_forward} (all feed-forward parts)"
    says = (
        f"After layer {layer}, at “{escape_markdown(whole.words[word])}”, the model would say"
        f" **{escape_markdown(said.text)}** with **{facts.opened}**. The logit of its first piece"
        f" above the mean of all logits is **{total}** ="
        f" {as_sum([f'{embedding} (the word itself)', f'{heads} (all heads)', last])}."
    )
    links: list[b.Button | b.Link] = [b.Button(BACK, {CHIP: ()})]
    if shown.model == LANGUAGE and (layer, word) == (whole.n_layers - 1, len(whole.words) - 1):
        links.append(b.Link("Why this word?", "why-this-word", {}))
    board = run_sum_board(run, said.piece, (layer, 0))
    press = partial(_pressed_part, whole, shown, word)
    return [b.Row(tuple(links)), b.Text(says), b.Board(board, "whole sum", fits=True, press=press)]


def _pressed_part(
    whole: WholeModel, shown: HeadsShown, word: int, array: str, index: Sequence[int]
) -> b.Link | dict[str, object]:
    """A click on a part of a sum opens its step."""
    layer, part = index
    if array != ADDED:
        return {}
    if part >= whole.maps.sizes["H"]:
        return _story(whole, shown, "block", layer, (0, word, word))
    source = int(whole.read(layer, part)[word].argmax())
    return _story(whole, shown, "scores", layer, (part, word, source))


WHOLE_MODEL = HeadPage("whole-model", _choices, _blocks, _beside, words=True, facts=_facts).page
