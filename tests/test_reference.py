"""The API reference: every public name explains itself, and the pages are made of them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scripts.make_docs import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
ARRAYS = re.compile(r"\b(Array|ArrayLike|Targets|ndarray)\b")


def explained(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """A function, or a class with its public methods and properties."""
    yield name, thing
    if not inspect.isclass(thing):
        return
    for member, kind in vars(thing).items():
        inside = kind.fget if isinstance(kind, property) else getattr(kind, "__func__", kind)
        if not member.startswith("_") and inspect.isfunction(inside):
            yield f"{name}.{member}", inside


def lacks(thing: Any) -> str:
    """What a docstring does not say: a first sentence; the shapes, where arrays go in or out."""
    sentence = thing.__doc__ or ""
    if not re.match(r"\S.*?[.:]\s", f"{sentence}\n", re.DOTALL):
        return "a sentence"
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return ""
    types = map(str, getattr(thing, "__annotations__", {}).values())
    if any(map(ARRAYS.search, types)) and "hapes" not in sentence:
        return "shapes"
    return ""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_explains_itself(package: ModuleType) -> None:
    public = [(name, getattr(package, name)) for name in package.__all__]
    parts = [part for one in public if callable(one[1]) for part in explained(*one)]
    assert {name: said for name, thing in parts if (said := lacks(thing))} == {}


def test_the_reference_has_an_entry_for_every_public_name(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "scripts.make_docs", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    for package in PACKAGES:
        page = (tmp_path / f"{package.__name__}.html").read_text(encoding="utf-8")
        assert {*package.__all__} <= {*re.findall(r'id="(\w+)"', page)}
        assert "Union[" not in page
