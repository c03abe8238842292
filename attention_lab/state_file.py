"""The whole state of the app as one JSON file: what the address of a page holds, and what is
too long for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from attention_core.checks import (
    check_switch,
    check_text,
    number_between,
    one_of,
    shown,
    whole_number,
)
from attention_core.errors import AttentionError, FileError, SettingsError

from .files.file_checks import has_half_character
from .notation.texts import NOTATIONS
from .scenario import CHOICES, LIMITS, MAX_TEXT, Scenario, edits_of, own_of
from .user_data.edits import LAST_PLACE, MOST_EDITS, Edits
from .user_data.matrix_names import MAX_STATE
from .user_data.own_matrices import OwnMatrices
from .user_data.painted import mask_from_text

FORMAT, VERSION = "Attention Lab state", 1
MAX_PARTS = 2000  # brackets, commas and quotes, those in the sentence included
FOCUS = ("head", "query", "key", "feature")
_ENTRIES = ("format", "version", "scenario", "edits", "own", "focus", "notation")
# What edits and own stand for is an entry of its own, in full.
_DEFAULTS = {
    name: value for name, value in asdict(Scenario()).items() if name not in ("edits", "own")
}


@dataclass(frozen=True, eq=False)
class State:
    """All that a visitor has chosen: the scenario with edits and own matrices, the cell in focus
    (`FOCUS`), notation, which sentence of a batch is shown.

    Raises: SettingsError, TextError for what no control of the app can be set to.
    """

    scenario: Scenario = field(default_factory=Scenario)
    focus: tuple[int, int, int, int] = (0, 0, 0, 0)
    notation: str = "ours"
    sentence: int = 0

    def __post_init__(self) -> None:
        checked = {name: checked_choice(name, getattr(self.scenario, name)) for name in _DEFAULTS}
        object.__setattr__(self, "scenario", replace(self.scenario, **checked))
        for name, place in zip(FOCUS, self.focus, strict=True):
            whole_number(name, place, 0, LAST_PLACE)
        whole_number("sentence", self.sentence, 0, LAST_PLACE)
        one_of("notation", self.notation, NOTATIONS)

    @property
    def places(self) -> dict[str, int]:
        """The cell in focus and its sentence, by name."""
        return dict(zip(FOCUS, self.focus, strict=True)) | {"sentence": self.sentence}


def write_state(state: State) -> bytes:
    """The state as JSON in UTF-8. `read_state` gives back every choice, and every number to the
    last bit.

    Raises: SettingsError when this process no longer keeps edits or matrices that are too long for
    the address.
    """
    scenario = asdict(state.scenario)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "scenario": {name: scenario[name] for name in _DEFAULTS},
        "edits": edits_of(state.scenario).encode(),
        "own": own_of(state.scenario).encode(),
        "focus": state.places,
        "notation": state.notation,
    }
    return (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def read_state(data: bytes) -> State:
    """The state in a file of `write_state`. A missing entry has its default, an unknown one is an
    error.

    Raises: FileError for what is no state file, SettingsError, TextError or ShapeError for an
    impossible value in it.

    >>> read_state(write_state(State(Scenario(n_heads=2)))).scenario.n_heads
    2
    """
    content = _parsed(data)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileError("The file is no state of this app; choose one that was downloaded here")
    version = content.get("version")
    if version is True or version != VERSION:
        raise FileError(
            f"The state file has version {shown(version)}, but {VERSION} is read here; use its"
            " own app"
        )
    _check_names("the state file", content, _ENTRIES)
    scenario, focus = (
        _check_names(name, content.get(name, {}), known)
        for name, known in (("scenario", _DEFAULTS), ("focus", (*FOCUS, "sentence")))
    )
    edits = Edits.decode(_text(content, "edits"), MOST_EDITS)
    own = OwnMatrices.decode(_text(content, "own"))
    return State(
        Scenario(**scenario, edits=edits.address(), own=own.address()),
        (focus.get("head", 0), focus.get("query", 0), focus.get("key", 0), focus.get("feature", 0)),
        content.get("notation", "ours"),
        focus.get("sentence", 0),
    )


def _parsed(data: bytes) -> Any:
    """What the JSON says. Size and number of parts are checked first: an empty list takes
    twenty times its text.
    """
    if len(data) > MAX_STATE:
        raise FileError(
            f"The state file has {len(data):,} bytes but may have at most {MAX_STATE:,}"
        )
    if sum(data.count(mark) for mark in (b"[", b"{", b",", b'"')) > MAX_PARTS:
        raise FileError(
            "The file holds more parts than a state has; choose one that was downloaded here"
        )
    try:
        return json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_each_once, parse_constant=_no_number
        )
    except AttentionError:
        raise
    except (ValueError, RecursionError) as error:
        raise FileError(
            "The state file is damaged: it is no JSON in UTF-8; download it again"
        ) from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FileError(f"The state file says {shown(twice)} twice; leave one of them out")
    return entries


def _no_number(word: str) -> Any:
    raise FileError(f"The state file holds {word}, which is no finite number; replace it")


def _check_names(where: str, entries: Any, known: Iterable[str]) -> dict[str, Any]:
    if not isinstance(entries, dict):
        raise FileError(f"{where} is {shown(entries)} but must be an object with names and values")
    unknown = [name for name in entries if name not in known]
    if unknown:
        raise FileError(
            f"{where} holds {shown(unknown[0])}, which is none of {', '.join(known)}; leave it out"
        )
    return entries


def _text(content: Mapping[str, Any], name: str) -> str:
    text = content.get(name, "")
    if not isinstance(text, str):
        raise FileError(f"{name} is {shown(text)} but must be a text")
    return text


def checked_choice(name: str, value: Any) -> Any:
    """A value of a scenario, of the type and within the bounds of its control."""
    default = _DEFAULTS[name]
    if isinstance(default, bool):
        check_switch(name, value)
        return value
    if isinstance(default, str):
        return one_of(name, value, CHOICES[name]) if name in CHOICES else _checked_text(name, value)
    low, high = LIMITS[name]
    return (
        whole_number(name, value, low, int(high))
        if isinstance(default, int)
        else number_between(name, value, low, high)
    )


def _checked_text(name: str, value: Any) -> str:
    check_text(name, value)
    if len(value) > MAX_TEXT:
        raise SettingsError(
            f"{name} has {len(value):,} characters but may have at most {MAX_TEXT:,}; shorten it"
        )
    if name == "painted" and value:
        mask_from_text(value)
    if has_half_character(value):
        raise SettingsError(f"{name} holds half a character (a lone surrogate); write it again")
    return str(value)
