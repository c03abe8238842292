"""What opens below a step: all terms, the code, tables of numbers, files to take along."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attention_core import STEPS
from attention_core.derivation import Derivation
from attention_core.trace import Trace, head_of
from attention_lab import notation
from attention_lab.export.script import notebook, script
from attention_lab.export.step_code import numpy_lines, torch_lines
from attention_lab.export.trace_files import field_csv, field_labels, trace_to_npz
from attention_lab.sentences import weights_in_force

from .. import blocks as b
from ..arithmetic import factor_code
from ..handout import handout
from ..page_choices import Choice, Select, Several
from ..payload import JSON
from ..scene import coloured_scene
from .story_file import story_file
from .story_view import StoryView

CLOSER = Several(
    "closer",
    "Look closer",
    (),
    {
        "terms": "Every term",
        "code": "The code",
        "numbers": "The numbers",
        "files": "Take it with you",
    },
)
LANGUAGE = Select("code_in", "Language", "numpy", {"numpy": "NumPy", "torch": "PyTorch"}, "buttons")
CODE_NOTES = {
    "numpy": (
        "The last line of each step checks the numbers against those shown here, within the"
        " tolerance that it names: `shown` holds them by name."
    ),
    "torch": "These lines were run with PyTorch 2.13 for all options and gave the same numbers.",
}
FILES_NOTE = (
    "The story is one file: point, play, guess. It needs no server and no network. The notebook and"
    " the script compute every step anew and check it against these numbers; the NPZ holds every"
    " intermediate as a NumPy array."
)


@dataclass(frozen=True)
class Closer:
    """What can be looked at closer. path: of the page. field, arithmetic: of the cell on its board.
    fields: of the step. board: of a page that has no stage.
    """

    path: str
    field: str
    arithmetic: Derivation
    fields: Sequence[str]
    board: JSON | None = None


def closer_choices(path: str, fields: Sequence[str]) -> tuple[Choice, ...]:
    """The choices of what can be looked at closer, with that of the field whose numbers are
    listed.
    """
    options = {"": "the one on the board"} | {name: STEPS[name].title for name in fields}
    field = Select(f"numbers_{path.replace('-', '_')}", "Field", "", options)
    return CLOSER, LANGUAGE, field


def closer_blocks(view: StoryView, values: b.Values, one: Closer) -> list[b.Block]:
    """The buttons, and what they open."""
    chosen, below = values[CLOSER.key], list[b.Block]()
    if "terms" in chosen:
        below += _terms(view, one.arithmetic)
    if "code" in chosen:
        below += _code(view, values, sorted(one.fields, key=tuple(STEPS).index))
    if "numbers" in chosen:
        below += _numbers(view, values, one)
    if "files" in chosen:
        below += _files(view, one)
    return [b.row(values, CLOSER), *below]


def _code_order(view: StoryView) -> str:
    """A note for tables that keep the order of the code while boards are transposed."""
    if view.notation.convention == "column":
        return " Names and indices are those of the code, whose matrices are not transposed."
    return ""


def terms_numbers(derivation: Derivation) -> b.Numbers:
    """Every term of a sum: two columns for each factor, its value, and the sum up to it."""
    n_factors = max(len(term.factors) for term in derivation.terms)
    head = [f"{what} {place + 1}" for place in range(n_factors) for what in ("number", "value")]
    rows, total = [], 0.0
    for term in derivation.terms:
        total += term.value
        factors: list[str | float | None] = []
        for one in term.factors:
            factors += [factor_code(one), one.value]
        factors += ["", None] * (n_factors - len(term.factors))
        rows.append([*factors, term.value, total])
    return b.Numbers("Every term", [*head, "term", "running sum"], rows)


def _terms(view: StoryView, derivation: Derivation) -> list[b.Block]:
    if len(derivation.terms) == 1:
        return [b.caption("There is only one term; the line above shows it.")]
    note = "Four decimals are shown; the calculation uses all digits."
    return [terms_numbers(derivation), b.caption(note + _code_order(view))]


def _code(view: StoryView, values: b.Values, fields: Sequence[str]) -> list[b.Block]:
    """The lines of code that compute some fields."""
    lines = {"numpy": numpy_lines, "torch": torch_lines}[values[LANGUAGE.key]]
    text = "\n\n".join(lines(view.batch, field) for field in fields)
    note = b.caption(CODE_NOTES[values[LANGUAGE.key]])
    return [b.row(values, LANGUAGE), b.Code(text), note]


def matrix_numbers(trace: Trace, field: str, head: int, says: str = "") -> b.Numbers:
    """One matrix of a field with its labels, numbered so that repeated tokens stay apart."""
    matrix = getattr(trace, field)[0]
    if STEPS[field].per_head:
        matrix = matrix[head_of(trace, field, head)]
    names, columns = field_labels(trace, field)
    rows = [[name, *numbers] for name, numbers in zip(names, matrix.tolist(), strict=True)]
    return b.Numbers(says, ["token", *columns], rows)


def _numbers(view: StoryView, values: b.Values, one: Closer) -> list[b.Block]:
    """The numbers of a field that can be chosen, as a table and as a file."""
    choice = closer_choices(one.path, one.fields)[-1]
    trace, field, head = view.trace, values[choice.key] or one.field, view.focus.head
    part = f" of head {head}" if STEPS[field].per_head else ""
    if len(view.sentences) > 1:
        part += f" of sentence {view.sequence}"
    names, title = notation.axis_names(trace, view.notation), STEPS[field].title
    axes = " × ".join(notation.axis_name(axis, names) for axis in trace.axes(field)[-2:])
    says = f"{title.capitalize()}{part}: axes {axes}; the CSV has all digits.{_code_order(view)}"
    return [
        *([b.row(values, choice)] if len(one.fields) > 1 else []),
        b.caption(says),
        matrix_numbers(trace, field, head, f"The numbers of {title}{part}"),
        b.File("This field as CSV", f"{field}.csv", lambda: field_csv(trace, field)),
    ]


def story_download(view: StoryView, path: str) -> b.File:
    """The whole story as one file, which opens at a step."""
    # The mask step may run another mask than the other steps.
    scenario = weights_in_force(view.chosen) if view.chosen else view.scenario
    whole = replace(view, scenario=scenario)
    return b.File(
        "Take the story with you", "attention-story.html", lambda: story_file(whole, path)
    )


def _files(view: StoryView, one: Closer) -> list[b.Block]:
    """Files; each is made when it is asked for."""
    batch, field, board = view.batch, one.field, one.board

    def page() -> str:
        scene, said = coloured_scene(board or {}, "both"), view.trace.sentence(field, view.layout)
        title, code = STEPS[field].title, view.trace.code(field)
        return handout(scene, title, said, code, view.sentence)

    first = b.File("This board as one web page", f"{field}.html", page)
    files = (
        story_download(view, one.path) if board is None else first,
        b.File("The layer as a notebook", "attention.ipynb", lambda: notebook(batch, view.labels)),
        b.File("The layer as a script", "attention.py", lambda: script(batch, view.labels)),
        b.File("The whole trace as NPZ", "trace.npz", lambda: trace_to_npz(batch, view.labels)),
    )
    return [b.Row(files), b.caption(FILES_NOTE)]
