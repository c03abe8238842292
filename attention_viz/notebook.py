"""Pictures for a notebook: a step of a layer, or the heads of a model, as an object that shows
itself in the cell and can be saved as one file.
"""

# What draws is imported when it is asked for: `import attention_viz` stays as light as it was.
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attention_core import STEPS, SettingsError, Trace
from attention_core.checks import check_choice, whole_number
from attention_core.errors import short_repr
from attention_core.trace import OPTIONAL, one_sequence

if TYPE_CHECKING:
    from attention_lab.focus import Focus
    from attention_lab.trained.model_run import LanguageModelRun

    from .payload import JSON
    from .widget import LiveBoard

MAX_SIZES = {"T": 64, "S": 64, "D": 4096, "M": 4096, "O": 4096, "H": 64, "K": 256, "V": 256}
STAGE_HEIGHT, HEADS_HEIGHT = 640, 560


@dataclass(frozen=True)
class Picture:
    """A page that needs no server and no network. A notebook shows it in the cell, also when it is
    opened again.
    """

    title: str
    page: str = field(repr=False)
    height: int = STAGE_HEIGHT

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.page)}" title="{escape(self.title)}" width="100%"'
            f' height="{self.height}" style="border: 0" sandbox="allow-scripts allow-downloads">'
            "</iframe>"
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page as an HTML file, and give its path. Raises: SettingsError for a path that
        cannot be written.
        """
        try:
            target = Path(path)
            target.write_text(self.page, encoding="utf-8")
        except (OSError, TypeError, ValueError) as error:
            raise SettingsError(
                f"path is {short_repr(path)} but must name a file that can be written: {error}"
            ) from error
        return target


def board(
    trace: Trace | LanguageModelRun,
    step: str = "probabilities",
    *,
    sequence: int = 0,
    head: int = 0,
    query: int = 0,
    key: int = 0,
    feature: int = 0,
) -> Picture:
    """A step of a layer with its words, its formula and the arithmetic of every cell; of a run of a
    language model the whole model in one picture, from the prompt to the next word.

    step: a field of the trace. sequence: which one of a batch. head, query, key, feature: the cell
    that is pinned at first. Raises: SettingsError, also for a layer with more than 64 tokens, 64
    heads or 4,096 features.
    """
    from attention_lab.trained.model_run import LanguageModelRun

    from .handout import handout
    from .scene import coloured_scene

    if isinstance(trace, LanguageModelRun):
        return _whole(trace)
    focus = _checked_focus(trace, head, query, key, feature)
    scene, layer = _stage(trace, step, sequence, focus)
    title = STEPS[step].title
    words = (title, layer.sentence(step), layer.code(step), _made_of(layer))
    return Picture(title, handout(coloured_scene(scene, "both"), *words))


def _whole(run: LanguageModelRun) -> Picture:
    """A whole model on a text."""
    from attention_lab.trained.whole_model import whole_run

    from .handout import handout
    from .scene import coloured_scene
    from .trained.whole_model import whole_board

    scene = whole_board(whole_run(run)) | {"height": STAGE_HEIGHT - 100}
    says = "Words as columns, layers as rows upwards: what the model would say after each layer."
    title, made_of = "The whole model", f"Layers: {len(run.traces)}, pieces: {len(run.ids)}."
    page = handout(coloured_scene(scene, "both"), title, says, "", made_of)
    return Picture(title, page, STAGE_HEIGHT + 60)


def live_board(
    trace: Trace,
    step: str = "probabilities",
    *,
    sequence: int = 0,
    head: int = 0,
    query: int = 0,
    key: int = 0,
    feature: int = 0,
) -> LiveBoard:
    """The same as a widget that Python hears: `.pin` is the pinned cell and can be set, `.edit` the
    last number that was typed into the inputs or weights, `.trace` the layer with it.

    Needs the extra [widget]. Raises: as for `board`.
    """
    focus = _checked_focus(trace, head, query, key, feature)
    try:
        from .widget import LiveBoard
    except ModuleNotFoundError as error:
        raise _missing("a live board", error, "widget") from error
    return LiveBoard(trace, sequence, focus, partial(live_scene, step))


def live_scene(step: str, trace: Trace, sequence: int, focus: Focus) -> JSON:
    """The scene of a live board. A place beyond the trace becomes the last one."""
    return _stage(trace, step, sequence, focus)[0] | {"height": STAGE_HEIGHT}


def head_view(
    attentions: Any, tokens: Sequence[str] = (), memory_tokens: Sequence[str] = ()
) -> Picture:
    """The attention of every head of every layer as small matrices.

    attentions: one array per layer, (H, T, S) or a batch of one, such as `outputs.attentions` of
    transformers; of cross-attention too, whose keys are memory_tokens. Raises: ShapeError,
    SettingsError, TextError; also for more tokens than a file can show beside so many heads.
    """
    from attention_lab.trained.attention_maps import AttentionMaps

    from .handout import handout
    from .scene import coloured_scene
    from .thumbnails import max_tokens_sent, thumbnails

    maps = AttentionMaps.of(attentions, tokens, memory_tokens)
    sizes = maps.sizes
    n_heads = sizes["L"] * sizes["H"]
    most = max_tokens_sent(n_heads)
    if max(sizes["T"], sizes["S"]) > most or not most:
        raise SettingsError(
            f"attentions holds {n_heads} heads of {sizes['T']} × {sizes['S']} tokens, but of so"
            f" many heads a picture shows at most {most} tokens: give fewer layers, such as"
            " attentions[:2], or a shorter text"
        )
    scene = thumbnails(maps.layers, (maps.tokens, maps.memory_tokens))
    says = "Each small matrix is a head: rows are queries, columns are keys."
    made_of = f"Layers: {sizes['L']}, heads: {sizes['H']}."
    page = handout(coloured_scene(scene, "both"), "Heads", says, "", made_of)
    return Picture("Heads", page, HEADS_HEIGHT)


def _checked_focus(trace: Trace, head: int, query: int, key: int, feature: int) -> Focus:
    """The cell that is pinned at first."""
    from attention_lab.focus import Focus

    if not isinstance(trace, Trace):
        raise SettingsError(f"trace is {short_repr(trace)} but must be what attend gives")
    given = {"head": (head, "H"), "query": (query, "T"), "key": (key, "S")}
    places = {
        name: whole_number(name, place, 0, trace.sizes[letter] - 1)
        for name, (place, letter) in given.items()
    }
    return Focus(**places, feature=whole_number("feature", feature, 0, MAX_SIZES["D"] - 1))


def _stage(trace: Trace, step: str, sequence: int, focus: Focus) -> tuple[JSON, Trace]:
    """The scene of a step, and the one sequence that it shows."""
    from attention_lab.page_list import page_row

    try:
        from .story.stages import stage_of
        from .story.story_view import StoryView
    except ModuleNotFoundError as error:
        raise _missing("a board", error, "notebook") from error
    if not isinstance(trace, Trace):
        raise SettingsError(f"trace is {short_repr(trace)} but must be what attend gives")
    options = [name for name in OPTIONAL if getattr(trace, name) is not None]
    pages = {
        name: page.url_path
        for page in page_row("story", options).lecture[1:]
        for name in page.fields
        if name in trace.steps
    }
    check_choice("step", step, pages)
    _check_sizes(trace)
    layer = one_sequence(trace, whole_number("sequence", sequence, 0, trace.sizes["B"] - 1))
    which = {"query_heads": "queries", "key_heads": "keys", "value_heads": "values"}.get(step, step)
    if which not in ("queries", "keys", "values"):
        which = "queries"
    view = StoryView(layer=layer, focus=focus.inside(layer), which=which, unmasked=True)
    scene = stage_of(view, pages[step])
    # The other steps and other choices are not there.
    scene["stage"] |= {"steps": [], "choices": [], "notes": []}
    return scene, layer


def _missing(what: str, error: ModuleNotFoundError, extra: str) -> SettingsError:
    return SettingsError(
        f"{what} needs {error.name}, which is not installed: install the extra [{extra}], as"
        " docs/notebook.md says"
    )


def _check_sizes(trace: Trace) -> None:
    """Raises: SettingsError for a layer that no window shows."""
    names = {"T": "queries", "S": "keys", "D": "features", "H": "heads"}
    for letter, most in MAX_SIZES.items():
        if trace.sizes[letter] > most:
            name = names.get(letter, f"features ({letter})")
            raise SettingsError(
                f"trace has {trace.sizes[letter]} {name}, but a board shows at most {most}: give a"
                " smaller layer or a shorter sequence"
            )


def _made_of(trace: Trace) -> str:
    sizes = trace.sizes
    return f"Heads: {sizes['H']}, queries: {sizes['T']}, keys: {sizes['S']}."
