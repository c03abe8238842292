"""JSON files from outside: size and number of parts are checked before they are parsed."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from attention_core.errors import AttentionError, FileError, short_repr


@dataclass(frozen=True)
class JsonFile:
    """A kind of JSON file: its name, the entries that identify it, and its limits. Files of other
    programs have no such entries: `parse` reads them.

    name: such as "state file". format, version: two entries of every file. remedy: what to do about
    a file of another kind. max_bytes: of the whole file; max_parts: brackets, commas and quotes,
    those in texts included.
    """

    name: str
    format: str
    version: int
    remedy: str
    max_bytes: int
    max_parts: int

    def write(self, entries: Mapping[str, Any]) -> bytes:
        """The entries after format and version, as JSON in UTF-8."""
        content = {"format": self.format, "version": self.version, **entries}
        return (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()

    def read(self, data: bytes) -> dict[str, Any]:
        """The entries of a file of this kind and version. Raises: FileError."""
        content = self.parse(data)
        if not isinstance(content, dict) or content.get("format") != self.format:
            raise FileError(f"The file is not an {self.format}; {self.remedy}")
        version = content.get("version")
        if version is True or version != self.version:
            raise FileError(
                f"The {self.name} has version {short_repr(version)}, but this app reads version"
                f" {self.version}; open it with the app that wrote it"
            )
        return content

    def parse(self, data: bytes) -> Any:
        """The parsed JSON, of any kind and version. An empty list takes twenty times its text in
        memory, so size and number of parts are checked first. Raises: FileError.
        """
        if len(data) > self.max_bytes:
            raise FileError(
                f"The {self.name} has {len(data):,} bytes but may have at most {self.max_bytes:,}"
            )
        if sum(data.count(mark) for mark in (b"[", b"{", b",", b'"')) > self.max_parts:
            raise FileError(f"The file holds more parts than a {self.name} has; {self.remedy}")
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
                f"The {self.name} is damaged: it is not JSON in UTF-8; download it again"
            ) from error

    def _each_once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            names = [name for name, _ in pairs]
            twice = Counter(names).most_common(1)[0][0]
            raise FileError(
                f"The {self.name} has the entry {short_repr(twice)} twice; remove one of them"
            )
        return entries

    def _no_number(self, word: str) -> Any:
        raise FileError(f"The {self.name} holds {word}, which is not a finite number; replace it")


def check_object(where: str, entries: Any) -> dict[str, Any]:
    """The entries of an object. Raises: FileError."""
    if not isinstance(entries, dict):
        raise FileError(
            f"{where} is {short_repr(entries)} but must be an object with names and values:"
            " make the file again"
        )
    return entries


def check_entries(where: str, entries: Any, known: Iterable[str]) -> dict[str, Any]:
    """The entries of an object with known names only. Raises: FileError."""
    checked = check_object(where, entries)
    unknown = [name for name in checked if name not in known]
    if unknown:
        raise FileError(
            f"{where} holds {short_repr(unknown[0])}, but may hold only {', '.join(known)}; remove"
            " it"
        )
    return checked
