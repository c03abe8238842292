"""What the pages about the heads of a model share: whose heads, which head, which cell, and what a
click on a picture of heads opens.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from attention_core import STEPS
from attention_core.errors import AttentionError, FileError, SettingsError
from attention_lab.focus import FOCUS_AXES, Focus
from attention_lab.trained.decoder import FEED_FORWARD, OffPart, head_of, layer_of
from attention_lab.trained.language_text import grid_of, limits_of
from attention_lab.url_values import parse_number
from attention_lab.user_data.edits import MAX_INDEX
from attention_lab.weight_kinds import WRITERS
from attention_lab.whose_heads import (
    FIRST_HEADS,
    LANGUAGE,
    MINILM,
    MODELS,
    OWN,
    HeadsShown,
    heads_on,
    notes_on,
)

from .. import blocks as b
from ..block_page import BlockPage
from ..markdown import escape_markdown
from ..page_choices import Choice, Number, Places, Select, Switch, Words, by_name
from ..payload import JSON
from ..story.story_view import StoryView
from .text_notes import which_model, words_or_pieces

PLACES = ("th_layer", "th_head", "th_cell", "cw_old", "cw_new")
LAYER, HEAD, CELL, OLD_WORD, NEW_WORD = PLACES
MODEL = Select(
    "th_model",
    "Whose heads",
    LANGUAGE,
    by_name(MODELS),
    "buttons",
    resets=PLACES,
    # Earlier versions knew MiniLM alone.
    implied=dict.fromkeys((*PLACES, "fh_rule", "fh_from", "fh_to", "oh_lines", "oh_step"), MINILM),
)
MOST_HEADS = max(one.n_layers * one.decides["n_heads"] for one in WRITERS.values())
MOST_LAYERS = max(one.n_layers for one in WRITERS.values())
FED = "f"


class _Parts(Places):
    """Heads by their places, layer by layer, and feed-forward parts by their layers: f3 in a URL
    is that of layer 3, and −4 as a place, after −1 for layer 0.
    """

    def place(self, text: str) -> int:
        """See `Places`."""
        if not text.startswith(FED):
            return super().place(text)
        return -1 - int(parse_number(text.removeprefix(FED), 0, MOST_LAYERS - 1, True))

    def text(self, value: Any) -> str:
        """See `Choice`."""
        return self.separator.join(str(one) if one >= 0 else f"{FED}{-1 - one}" for one in value)


# The parts of the language model that are switched off, on all pages of the chapter.
OFF = _Parts("why_off", "Parts that are off", (), size=MOST_HEADS, most=40, shared=True)
# Whether one head is open on the page of all heads.
OPEN = Switch("th_open", "One head", False)
UPLOAD, ALL_HEADS = "upload", "trained-heads"
# The axes of the arrays on whose boards a cell can be pinned.
LETTERS = {name: step.letters for name, step in STEPS.items()} | {"attention": ("T", "S")}


@dataclass(frozen=True)
class HeadPage:
    """What one of these pages adds. choices and blocks: of its heads, see `BlockPage`. beside: what
    stands in the first row, beside whose heads are shown. words: whether the page shows words in
    the place of their pieces. facts: what its sentences say, which `blocks` then get last.
    """

    url_path: str
    choices: Callable[[HeadsShown], Sequence[Choice]]
    blocks: Callable[..., Sequence[b.Block]]
    beside: Callable[[b.Values, HeadsShown], Sequence[b.Field | b.Button]] = lambda *_: ()
    words: bool = False
    facts: Callable[[StoryView, b.Values, HeadsShown], Any] | None = None

    @property
    def page(self) -> BlockPage:
        """The page."""
        facts = self._facts if self.facts else None
        return BlockPage(self.url_path, self._choices, self._blocks, MODEL, facts)

    def _facts(self, view: StoryView, values: b.Values) -> Any:
        """Raises: AttentionError."""
        return self.facts and self.facts(view, values, heads_shown(view, values))

    def _choices(self, view: StoryView, model: str) -> Sequence[Choice]:
        try:
            return () if _is_missing(view, model) else (OFF, *self.choices(heads_of(view, model)))
        except AttentionError:
            return ()  # the page says why

    def _blocks(self, view: StoryView, values: b.Values) -> Sequence[b.Block]:
        """Raises: FileError without the language model."""
        model = values[MODEL.key]
        fields: list[b.Field | b.Button] = [b.Field(MODEL, model)]
        loads = model == OWN and self.url_path == ALL_HEADS and not values.get(OPEN.key)
        above: list[b.Block] = [b.InTheApp(UPLOAD)] if loads else []
        if _is_missing(view, model):
            return [b.Row(tuple(fields)), *(above or NO_FILE)]
        try:
            shown = heads_shown(view, values)
            fields += which_model(view) if model == LANGUAGE else ()
            fields += self.beside(values, shown)
            if self.words:
                fields += words_or_pieces(view, shown.maps.tokens)
            notes = notes_on(view.scenario, model, view.own_heads)
            above += [b.Text(escape_markdown(note), small=True) for note in notes]
            fields += all_on(shown.off)
            told = (self.facts(view, values, shown),) if self.facts else ()
            below = self.blocks(view, values, shown, *told)
        except AttentionError as error:
            if model == LANGUAGE and isinstance(error, FileError):
                raise
            in_the_app = b.InTheApp("", says=isinstance(error, FileError))
            return [b.Row(tuple(fields)), *above, b.Refused(error), in_the_app]
        limits = (
            f"{limits_of(view.scenario.model)} One head is never the only reason for what it says."
        )
        said = [b.Text(limits, small=True)] if model == LANGUAGE else []
        return [b.Row(tuple(fields)), *above, *below, *said]


def fields(values: b.Values, choices: Sequence[Choice]) -> tuple[b.Field, ...]:
    """Choices with their present values."""
    return tuple(b.Field(one, values[one.key]) for one in choices)


NO_FILE = (
    b.Text("These are the heads of a file of yours, and none is loaded."),
    b.Row((b.Link("Load a file", ALL_HEADS, {MODEL.key: OWN}),)),
)


def _is_missing(view: StoryView, model: str) -> bool:
    return model == OWN and view.own_heads is None


def heads_of(view: StoryView, model: str, off: Sequence[int] = ()) -> HeadsShown:
    """The heads that are shown on the sentence. off: their places. Raises: AttentionError."""
    return heads_on(view.scenario, model, view.own_heads, off=off_parts(view, off))


def heads_shown(view: StoryView, values: b.Values) -> HeadsShown:
    """Those of the choices of a page. Raises: AttentionError."""
    return heads_of(view, values[MODEL.key], values.get(OFF.key, ()))


def off_parts(view: StoryView, off: Sequence[int]) -> tuple[OffPart, ...]:
    """Heads as layer and number, then feed-forward parts, of their places in `OFF`; each once."""
    n_layers, n_heads = grid_of(view.scenario.model)
    heads = [divmod(one, n_heads) for one in sorted(set(off)) if 0 <= one < n_layers * n_heads]
    fed = [(FEED_FORWARD, layer) for layer in range(n_layers) if -1 - layer in off]
    return (*heads, *fed)


def place_of(part: OffPart, n_heads: int) -> int:
    """The place of a part in `OFF`. n_heads: of a layer."""
    head = head_of(part)
    return -1 - layer_of(part) if head is None else head[0] * n_heads + head[1]


def place_name(part: OffPart) -> str:
    """A head by its layer and number, or the feed-forward part of a layer."""
    head = head_of(part)
    return f"layer {layer_of(part)}, {FEED_FORWARD if head is None else f'head {head[1]}'}"


def all_on(off: Sequence[OffPart]) -> list[b.Button]:
    """A button that switches all parts on, where some are off."""
    about = f"Switched off: {'; '.join(map(place_name, off))}."
    which = "heads" if all(map(head_of, off)) else "parts"
    return [b.Button(f"All {which} on", {OFF.key: ()}, about, name="all on")] if off else []


def place_choices(shown: HeadsShown) -> tuple[Choice, ...]:
    """The layer, the head, and its pinned query, key and feature, such as 9-2-0; "" is the head's
    first cell.
    """
    sizes, (layer, head) = shown.maps.sizes, FIRST_HEADS[shown.model]
    of = shown.model if shown.run is None or shown.is_stories else shown.writer
    bounds = (sizes["T"], sizes["S"], MAX_INDEX + 1)
    return (
        _number(LAYER, "Layer", layer, sizes["L"], of),
        _number(HEAD, "Head", head, sizes["H"], of),
        Words(CELL, "Cell", "", most=20, reads=partial(_read_cell, bounds=bounds)),
    )


def _number(key: str, label: str, first: int, count: int, model: str) -> Number:
    about = f"From 0 to {count - 1}."
    return Number(key, label, min(first, count - 1), 0, count - 1, help=about, variant=model)


def _read_cell(text: str, bounds: Sequence[int]) -> str:
    parts = text.split("-") if text else []
    if parts and len(parts) != len(bounds):
        raise SettingsError("A cell is query-key-feature, three whole numbers such as 9-2-0")
    places = (parse_number(one, 0, n - 1, True) for one, n in zip(parts, bounds, strict=False))
    return "-".join(map(str, places))


def focus_of(values: b.Values, shown: HeadsShown) -> tuple[int, Focus]:
    """The layer, and the head with its pinned cell; without one, with its first cell."""
    layer, head = values[LAYER], values[HEAD]
    query, key, feature = cell_of(values) or (*shown.first_cell(layer, head), 0)
    return layer, Focus(head, query, key, feature)


def cell_of(values: b.Values) -> tuple[int, ...]:
    """The pinned query, key and feature, or nothing."""
    return tuple(map(int, values[CELL].split("-"))) if values[CELL] else ()


def heads_clicks(board: JSON) -> dict[str, dict[str, str]]:
    """What a click sets on a board of the heads of many layers, whose arrays are called "layer 3"
    or "head 3 1", or on one with a cell for each head.
    """
    clicks = {}
    for name, array in board["arrays"].items():
        named = [part for part in name.split()[1:] if part.isdigit()]
        places = [*named, *(f"{{{n}}}" for n in range(len(array["shape"])))]
        layer, head, cell = places[0], places[1], places[2:]
        clicks[name] = {LAYER: layer, HEAD: head, CELL: "-".join([*cell, "0"]) if cell else ""}
    return clicks


def opening(sets: Mapping[str, Mapping[str, Any]], model: str) -> dict[str, dict[str, Any]]:
    """What a click sets that opens one head on the page of all heads."""
    return {name: {MODEL.key: model, OPEN.key: "true", **one} for name, one in sets.items()}


def cell_clicks(board: JSON, focus: Focus) -> dict[str, dict[str, str]]:
    """What a click sets on a board of one layer. What an array has no axis for stays as in the
    focus.
    """
    clicks = {}
    for name in board["arrays"]:
        held = {one: str(getattr(focus, one)) for one in ("query", "key", "feature")}
        for place, letter in enumerate(LETTERS.get(name, ())):
            if letter in FOCUS_AXES:
                held[FOCUS_AXES[letter]] = f"{{{place}}}"
        cell = {CELL: "-".join(held[one] for one in ("query", "key", "feature"))}
        clicks[name] = cell | ({HEAD: held["head"]} if "head" in held else {})
    return clicks
