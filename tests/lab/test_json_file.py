"""JSON files of one kind: a file of another kind or version is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from attention_core import FileError
from attention_lab.files.json_file import JsonFile
from attention_lab.lessons.lesson_file import LESSON_FILE
from attention_lab.state_file import STATE_FILE
from tests.lab.refusal import Facts, refused

WRONG: dict[str, tuple[dict[str, Any], Facts]] = {
    "another format": ({"format": "notebook"}, ()),
    "no format": ({"format": None}, ()),
    "no version": ({"version": None}, ("version", "None", 1)),
    "newer": ({"version": 2, "anything": 1}, ("version", 2, 1)),
    "version as text": ({"version": "1"}, ("version", "'1'", 1)),
    "version as bool": ({"version": True}, ("version", "True", 1)),
}


@pytest.mark.parametrize("kind", [STATE_FILE, LESSON_FILE], ids=lambda kind: kind.name)
@pytest.mark.parametrize(("wrong", "facts"), WRONG.values(), ids=WRONG)
def test_a_file_of_another_kind_is_refused(
    kind: JsonFile, wrong: dict[str, Any], facts: Facts
) -> None:
    data = json.dumps(json.loads(kind.write({})) | wrong).encode()
    with refused(FileError, *(facts or (kind.format,))):
        kind.read(data)


def test_entries_come_back() -> None:
    entries = {"title": "Größe", "numbers": [1, 2.5, None]}
    read = STATE_FILE.read(STATE_FILE.write(entries))
    assert list(read)[:2] == ["format", "version"]
    assert read == {"format": "Attention Lab state", "version": 1} | entries
