"""JSON files from outside: size and number of parts are checked before anything is made of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from attention_core.checks import short_repr
from attention_core.errors import AttentionError, FileError


@dataclass(frozen=True)
class JsonFile:
    """What a kind of file is called, and its limits.

    name: such as "state file". says_not: what is said of a file of another kind. max_bytes:
    of the whole file; max_parts: brackets, commas and quotes, those in texts included.
    """

    name: str
    says_not: str
    max_bytes: int
    max_parts: int

    def parse(self, data: bytes) -> Any:
        """What the JSON says. An empty list takes twenty times its text in memory, so size and
        number of parts are checked first. Raises: FileError.
        """
        if len(data) > self.max_bytes:
            raise FileError(
                f"The {self.name} has {len(data):,} bytes but may have at most {self.max_bytes:,}"
            )
        if sum(data.count(mark) for mark in (b"[", b"{", b",", b'"')) > self.max_parts:
            raise FileError(f"The file holds more parts than a {self.name} has; {self.says_not}")
        try:
            return json.loads(
                data.decode("utf-8-sig"),
                object_pairs_hook=self._each_once,
                parse_constant=self._no_number,
            )
        except AttentionError:
            raise
        except (ValueError, RecursionError) as error:
            raise FileError(
                f"The {self.name} is damaged: it is no JSON in UTF-8; download it again"
            ) from error

    def _each_once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise FileError(
                f"The {self.name} says {short_repr(twice)} twice; leave one of them out"
            )
        return entries

    def _no_number(self, word: str) -> Any:
        raise FileError(f"The {self.name} holds {word}, which is no finite number; replace it")


def check_entries(where: str, entries: Any, known: Iterable[str]) -> dict[str, Any]:
    """The entries of an object, all of which are known. Raises: FileError."""
    if not isinstance(entries, dict):
        raise FileError(
            f"{where} is {short_repr(entries)} but must be an object with names and values"
        )
    unknown = [name for name in entries if name not in known]
    if unknown:
        raise FileError(
            f"{where} holds {short_repr(unknown[0])}, which is none of {', '.join(known)}; leave"
            " it out"
        )
    return entries
