"""The page *The whole model*: one picture from the prompt to the next word, with a door at every
number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from attention_lab.trained.decoder import FEED_FORWARD, Head, OffPart, head_of
from attention_lab.trained.language_text import most_tokens, text_of
from attention_lab.trained.whole_model import (
    NORMS_FIRST,
    NORMS_LAST,
    WholeFacts,
    WholeModel,
    whole_facts,
    whole_model,
)
from attention_lab.whose_heads import LANGUAGE, MINILM, STORY_WEIGHTS, HeadsShown
from attention_lab.words.numbers import as_sum

from .. import blocks as b
from ..markdown import escape_markdown
from ..page_choices import Choice, Places, Select
from ..story.story_view import StoryView
from .head_pages import (
    ALL_HEADS,
    CELL,
    HEAD,
    LAYER,
    MODEL,
    OFF,
    OPEN,
    HeadPage,
    place_name,
    place_of,
)
from .whole_model import ARCS, CHIPS, NEXT, PARTS, whole_board
from .why_word_sums import ABOUT_LENS, ADDED, run_sum_board
from .writing import WRITTEN

AVERAGE = "average"
ARCS_OF, ROW, CHIP = "wm_arcs", "wm_row", "wm_chip"
BACK = "Back to the whole model"
PARTS_OF = {LANGUAGE: NORMS_FIRST, MINILM: NORMS_LAST}  # of a layer from a file the attention alone


@dataclass(frozen=True)
class _Doors:
    """What a click opens. text: what sets the text of the picture with what was written after it;
    None if no text has its pieces. head, opened: see `whole_board`.
    """

    whole: WholeModel
    shown: HeadsShown
    text: Mapping[str, object] | None
    head: Head | None = None
    opened: int | None = None

    @property
    def says(self) -> dict[str, str]:
        """What a click opens, in words."""
        words = {"rows": "Click it for its layers."}
        if self.whole.run:
            words[CHIPS] = "Click it for its sum."
        if self.text is not None:
            words |= {NEXT: "Click it for its parts.", PARTS: "Click it for its numbers."}
            words[ARCS] = "Click it for its head."
            if self.shown.traces:
                words[ARCS] = f"Click it for its {self.shown.traces[0].sizes['K']} products."
            if self.shown.off:
                words[PARTS] += " In the step “Block” nothing is switched off."
        return words

    def picture(self, array: str, index: Sequence[int]) -> b.Link | dict[str, object]:
        """Of the picture: the sum of a chip, the products of an arc, a step of the story."""
        whole, parts = self.whole, self.whole.parts[::-1]
        rows = whole.rows(self.opened)[::-1]
        row = index[0] // len(parts) if array == PARTS else index[0]
        if row >= len(rows):
            return self._story("tokens", 0, (0, index[1], index[1]))
        layers, last = rows[row], len(whole.words) - 1
        if array == CHIPS:
            return {CHIP: (layers[-1], index[1])} if whole.run else {}
        if array == NEXT:
            return self._link("why-this-word", {"why_token": str(whole.first_pieces[index[1]])})
        if array == ARCS:
            return self._arc(layers, *index[1:])
        if len(layers) > 1:
            return {ROW: (whole.rows().index(layers),)}
        if parts[index[0] % len(parts)] != "attention":
            return self._story("block", layers[0], (0, last, last))
        return self._scores(layers[0], 0, last)

    def sum(self, word: int, array: str, index: Sequence[int]) -> b.Link | dict[str, object]:
        """Of the sum of a chip: the step of a part."""
        layer, part = index
        if array != ADDED:
            return {}
        if part >= self.whole.maps.sizes["H"]:
            return self._story("block", layer, (0, word, word))
        return self._scores(layer, part, word)

    def _arc(self, layers: range, word: int, source: int) -> b.Link | dict[str, object]:
        """The head that adds most to the answer there, the one that is chosen, or the one that
        reads most.
        """
        whole, at = self.whole, self.head
        if word == len(whole.words) - 1:
            thick = [one for one in whole.thick if one.layer in layers and one.at == source]
            at = thick[0].part if thick else at
        if not at or at[0] not in layers:
            at = whole.most_reading(layers, word, source)
        return self._story("scores", at[0], (at[1], word, source))

    def _scores(self, layer: int, head: int, word: int) -> b.Link | dict[str, object]:
        """A head at a word, and at the word that it reads most."""
        source = int(self.whole.read(layer, head)[word].argmax())
        return self._story("scores", layer, (head, word, source))

    def _story(
        self, step: str, layer: int, cell: tuple[int, int, int]
    ) -> b.Link | dict[str, object]:
        """The step of the story on a layer, at a head, a word and a word that it reads; where the
        story does not know these heads, or not which are off, the page of one head.
        """
        head, word, _ = cell
        query, key = self.whole.columns[word].stop - 1, self.whole.piece_read(layer, *cell)
        weights = STORY_WEIGHTS.get(self.shown.model)
        if weights and not (self.shown.off and step == "scores"):
            sets = {"weights": weights, "layer": layer, "scaling": "on", "mask": "none"}
            return self._link(step, sets | {"head": head, "query": query, "key": key})
        sets = {MODEL.key: self.shown.model, OPEN.key: True, LAYER: layer, HEAD: head}
        return self._link(ALL_HEADS, sets | {CELL: f"{query}-{key}-0"})

    def _link(self, page: str, sets: Mapping[str, object]) -> b.Link | dict[str, object]:
        return {} if self.text is None else b.Link("", page, {**sets, **self.text})


def _choices(shown: HeadsShown) -> Sequence[Choice]:
    sizes = shown.maps.sizes
    parts: list[OffPart] = [(layer, head) for layer, head in np.ndindex(sizes["L"], sizes["H"])]
    if shown.run:
        parts += [(FEED_FORWARD, layer) for layer in range(sizes["L"])]
    options = {AVERAGE: "all heads"} | {".".join(map(str, one)): place_name(one) for one in parts}
    places = partial(Places, size=max(sizes["L"], sizes["T"], 64), default=())
    return (
        Select(ARCS_OF, "Part", AVERAGE, options, help="Arcs show what a head alone reads."),
        places(ROW, "Opened layers", most=1),
        places(CHIP, "Opened sum: layer and word", most=2),
        *((WRITTEN,) if shown.model == LANGUAGE else ()),
    )


def _beside(values: b.Values, shown: HeadsShown) -> Sequence[b.Field | b.Button]:
    """Whose arcs are shown, a word more or less, and heads off and on."""
    row: list[b.Field | b.Button] = [b.Field(_choices(shown)[0], values[ARCS_OF])]
    if shown.run is None:
        return row
    whole = whole_model(shown.maps, shown.run, False, tuple(values.get(WRITTEN.key, ())))
    if WRITTEN.key in values:
        if more := whole.one_more(most_tokens(shown.writer)):
            row.append(b.Button("Write a word", {WRITTEN.key: more}, name="write"))
        if values[WRITTEN.key]:
            row.append(b.Button("Start again", {WRITTEN.key: ()}))
    is_first = whole.thick and not shown.off and not whole.n_written  # later there is no room
    part = _part(values) or (whole.thick[0].part if is_first else None)
    if part and part not in shown.off:
        places = (*values[OFF.key], place_of(part, shown.maps.sizes["H"]))
        # Short, so that the row has room in a narrow window.
        which = "" if values[ARCS_OF] != AVERAGE else f" head {part[1]}"
        about = f"Off on all pages of this chapter: {place_name(part)}."
        row.append(b.Button(f"Switch off{which}", {OFF.key: places}, about, name="switch"))
    return row


def whole_of(view: StoryView, values: b.Values, shown: HeadsShown) -> WholeModel:
    """The model on the text and what was written. Raises: AttentionError."""
    written, parts = tuple(values.get(WRITTEN.key, ())), PARTS_OF.get(shown.model, ("attention",))
    return whole_model(shown.maps, shown.run, view.pieces, written, parts)


def _text(whole: WholeModel, model: str) -> Mapping[str, object] | None:
    """See `_Doors`."""
    if not whole.n_written:
        return {}
    text = text_of(whole.known.ids, model)
    return None if text is None else {"text": text, "n_tokens": 0}


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
    opened, head = (*values[ROW], None)[0], _head(values)
    doors = _Doors(whole, shown, _text(whole, view.scenario.model), head, opened)
    if (place := _place(values)) and whole.run and facts.sum:
        return _sum(doors, place, facts)
    before = whole.with_all_parts if whole.run and whole.run.decoder.off else None
    board = whole_board(whole, head, opened, before, doors.says)
    return [
        b.Text(_answer(facts)),
        b.Board(board, "whole", fits=True, press=doors.picture),
        b.caption(_legend(whole, facts, whole.rows(opened), head)),
        *([b.Folded("What is the logit lens?", [b.Text(ABOUT_LENS)])] if whole.run else []),
    ]


def _part(values: b.Values) -> OffPart | None:
    if values[ARCS_OF] == AVERAGE:
        return None
    first, second = values[ARCS_OF].split(".")
    if first == FEED_FORWARD:
        return first, int(second)
    return int(first), int(second)


def _head(values: b.Values) -> Head | None:
    part = _part(values)
    return part and head_of(part)


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
        says += f"; with nothing switched off, {escape_markdown(facts.was[0])} with {facts.was[1]}"
    elif facts.earlier and facts.since:
        word, share = facts.earlier
        says += (
            f". It is the answer from layer {facts.since} on; after layer {facts.since - 1} the"
            f" answer is {escape_markdown(word)}, {share}"
        )
    if facts.carrier:
        says += (
            f". Head {facts.carrier.head} of layer {facts.carrier.layer} adds most: it reads"
            f" **{facts.carrier.read}** from “{escape_markdown(facts.carrier.word)}”"
        )
    says += "."
    return says


def _legend(whole: WholeModel, facts: WholeFacts, rows: Sequence[range], head: Head | None) -> str:
    several = any(len(one) > 1 for one in rows)
    grey = f"Grey arcs: what all heads of {'a row' if several else 'a layer'} read on average"
    if head and range(head[0], head[0] + 1) in rows:
        grey += f", in layer {head[0]} what head {head[1]} reads"
    left = f" {facts.left_out} words have no room: the slider shows them." if facts.left_out else ""
    if whole.run is None:
        return f"{grey}.{left}"
    thick, off = "", ""
    if facts.carrier:
        thick = (
            " Purple arcs: the heads that add most to the answer; the largest part is"
            f" {facts.carrier.added} of its logit above the average piece."
        )
    if whole.run.decoder.off:
        off = " Dashed: another answer with nothing switched off."
    return (
        "A chip is what the model would write next after this layer, as if no layer followed"
        " (**logit lens**); its filled part is the share. Blue: from this layer on it stays the"
        " last answer of its word. Purple: the answer of the"
        f" text.{off} {grey}.{thick}{left} A written word adds one column, and no other column"
        " changes: that is what [a cache](cache) uses."
    )


def _sum(doors: _Doors, place: tuple[int, int], facts: WholeFacts) -> list[b.Block]:
    """The sum of a chip, in the place of the picture."""
    whole, (layer, word) = doors.whole, place
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
    if doors.text is not None and place == (whole.n_layers - 1, len(whole.words) - 1):
        links.append(b.Link("Why this word?", "why-this-word", doors.text))
    board = run_sum_board(run, said.piece, (layer, 0))
    press = partial(doors.sum, word)
    return [b.Row(tuple(links)), b.Text(says), b.Board(board, "whole sum", fits=True, press=press)]


WHOLE_MODEL = HeadPage("whole-model", _choices, _blocks, _beside, words=True, facts=_facts).page
