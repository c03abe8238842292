"""The list of doors in the docs is the list of doors in the code."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import attention_core
from tests.lab import test_refusals

DOORS = (Path(__file__).resolve().parent.parent / "docs" / "doors.md").read_text(encoding="utf-8")
# Records and tables, which check nothing, and errors.
NO_DOORS = {"AXES", "STEPS", "HeadTrace", "Step", "Trace"}


def listed() -> list[str]:
    """The dotted names in the docs."""
    return re.findall(r"`(attention_\w+(?:\.\w+)+)`", DOORS)


def found(name: str) -> Any:
    """What a dotted name stands for."""
    package, *rest = name.split(".")
    thing: Any = import_module(package)
    for part in rest:
        if not hasattr(thing, part):
            import_module(f"{thing.__name__}.{part}")
        thing = getattr(thing, part)
    return thing


def test_every_door_exists() -> None:
    assert len(listed()) == len(set(listed())) > 30
    assert all(callable(found(name)) for name in listed())


def test_what_the_engine_exports_is_a_door() -> None:
    exported = {
        name
        for name in attention_core.__all__
        if name not in NO_DOORS and not name.endswith("Error")
    }
    assert exported <= {name.split(".")[1] for name in listed()}


def test_the_methods_of_a_trace_are_refused_nonsense() -> None:
    tested = {function.__qualname__ for function, _, _ in test_refusals.CASES.values()}
    named = {name.split(".", 1)[1] for name in listed() if name.startswith("attention_core.Trace.")}
    assert named <= tested
    assert {"derive", "embed"} <= tested
