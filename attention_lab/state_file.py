"""The state of the app as one JSON file: all that a URL holds, and what is too long for it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from attention_core.checks import check_choice, whole_number
from attention_core.errors import FileError, short_repr

from .choices import DECLARED, edits_of, user_matrices_of
from .files.json_file import JsonFile, check_entries
from .notation.texts import NOTATIONS
from .scenario import Scenario
from .user_data.edits import MAX_EDITS, MAX_INDEX, Edits
from .user_data.matrix_names import MAX_STATE_BYTES
from .user_data.user_matrices import UserMatrices

STATE_FILE = JsonFile(
    "state file",
    "Attention Lab state",
    1,
    "choose one that was downloaded here",
    max_bytes=MAX_STATE_BYTES,
    max_parts=2000,
)
FOCUS = ("head", "query", "key", "feature")
_ENTRIES = ("format", "version", "scenario", "edits", "own", "focus", "notation")
# edits and own have entries of their own, in full.
_FIELDS = {name: one for name, one in DECLARED.items() if name not in ("edits", "own")}


@dataclass(frozen=True, eq=False)
class State:
    """All that a visitor has chosen: the scenario with edits and own matrices, the cell in focus
    (`FOCUS`), the notation, and the shown sentence of a batch.

    Raises: SettingsError, TextError for values that no control of the app can have.
    """

    scenario: Scenario = field(default_factory=Scenario)
    focus: tuple[int, int, int, int] = (0, 0, 0, 0)
    notation: str = "ours"
    sentence: int = 0

    def __post_init__(self) -> None:
        checked = {name: one.check(getattr(self.scenario, name)) for name, one in _FIELDS.items()}
        object.__setattr__(self, "scenario", replace(self.scenario, **checked))
        for name, place in zip(FOCUS, self.focus, strict=True):
            whole_number(name, place, 0, MAX_INDEX)
        whole_number("sentence", self.sentence, 0, MAX_INDEX)
        check_choice("notation", self.notation, NOTATIONS)

    @property
    def places(self) -> dict[str, int]:
        """The cell in focus and its sentence, by name."""
        return dict(zip(FOCUS, self.focus, strict=True)) | {"sentence": self.sentence}


def write_state(state: State) -> bytes:
    """The state as JSON in UTF-8. `read_state` restores every choice, and every number to the last
    bit.

    Raises: SettingsError if edits or matrices that are too long for the URL are no longer stored.
    """
    scenario = asdict(state.scenario)
    content = {
        "scenario": {name: scenario[name] for name in _FIELDS},
        "edits": edits_of(state.scenario).encode(),
        "own": user_matrices_of(state.scenario).encode(),
        "focus": state.places,
        "notation": state.notation,
    }
    return STATE_FILE.write(content)


def read_state(data: bytes) -> State:
    """The state in a file of `write_state`. A missing entry has its default; an unknown one is an
    error.

    Raises: FileError for other files; SettingsError, TextError, ShapeError for impossible values.

    >>> read_state(write_state(State(Scenario(n_heads=2)))).scenario.n_heads
    2
    """
    content = STATE_FILE.read(data)
    check_entries("the state file", content, _ENTRIES)
    scenario = check_entries("scenario", content.get("scenario", {}), _FIELDS)
    focus = check_entries("focus", content.get("focus", {}), (*FOCUS, "sentence"))
    edits = Edits.decode(_text(content, "edits"), MAX_EDITS)
    own = UserMatrices.decode(_text(content, "own"))
    return State(
        Scenario(**scenario, edits=edits.url_value(), own=own.url_value()),
        (focus.get("head", 0), focus.get("query", 0), focus.get("key", 0), focus.get("feature", 0)),
        content.get("notation", "ours"),
        focus.get("sentence", 0),
    )


def _text(content: Mapping[str, Any], name: str) -> str:
    text = content.get(name, "")
    if not isinstance(text, str):
        raise FileError(f"{name} is {short_repr(text)} but must be a text")
    return text
