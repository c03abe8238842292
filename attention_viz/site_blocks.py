"""Blocks as the JSON from which the site draws them (`assets/site/blocks.js`)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attention_lab.page_list import page_of
from attention_lab.url_values import url_text
from attention_lab.words.numbers import decimals_for, format_decimals

from . import blocks as b
from .markdown import escape_markdown
from .markdown_parts import Part, markdown_parts
from .payload import JSON
from .scene import coloured_scene
from .step_scene import mathml
from .theme import figure_json
from .widgets import choice_widget

IN_THE_APP: Sequence[b.Block] = (
    b.Text("This is in the app, which runs on your own computer. Two lines start it:"),
    b.Code("pip install -r requirements.txt\nstreamlit run app.py"),
)


@dataclass(frozen=True)
class BlockWriter:
    """Writes the blocks of a page that has some choices. shown: the URL paths of the pages that the
    site has. opened: the labels of what a visitor has opened to read; what is made only then is
    left out elsewhere.
    """

    choices: Sequence[b.Choice]
    shown: Collection[str]
    dark: bool = False
    opened: Collection[str] = ()

    def write(self, blocks: Sequence[b.Block]) -> list[JSON]:
        """Blocks as JSON objects, each with its kind."""
        return [self._block(block) for block in blocks]

    def _block(self, block: b.Block) -> JSON:
        match block:
            case b.Text(text, small):
                return {"kind": "text", "small": small, "words": self._words(text)}
            case b.Heading(text):
                return {"kind": "heading", "words": self._line(text)}
            case b.Note(text, tone):
                return {"kind": "note", "tone": tone, "words": self._words(text)}
            case b.Formula(latex):
                return {"kind": "formula", "part": mathml(latex)}
            case b.Refused(why):
                return self._block(b.Note(escape_markdown(str(why)), "wrong"))
            case b.Code(text):
                return {"kind": "code", "text": text}
            case b.Row(items):
                return {"kind": "row", "items": [self._item(item) for item in items]}
            case b.Button() | b.Link() | b.File():
                return {"kind": "row", "items": [self._item(block)]}
            case b.ShareLink(page, sets):
                own, changes = [one.key for one in self.choices], _texts(sets)
                file = "" if page else _lesson_file(changes["lesson"])
                return {"kind": "share", "page": page, "file": file, "own": own, "changes": changes}
            case b.Later(seconds, sets):
                return {"kind": "later", "seconds": seconds, "changes": self._changes(sets)}
            case b.Board(scene, name, fits, press, clicks, sets, opens):
                board = coloured_scene(scene, "both", 1.0)
                shown: JSON = {"fits": True} if fits else {}
                every = {name: list(map(self._changes, each)) for name, each in clicks.items()}
                acts = {"clicks": every, "sets": sets, "opens": opens}
                acts["press"] = name if press else ""
                return {"kind": "board", "board": board | shown} | acts
            case b.Chart(figure, name, clicks, wide, opens):
                chart = figure_json(figure, "dark" if self.dark else "light")
                drawn: JSON = {"figure": chart, "name": name.replace(" ", "-"), "wide": wide}
                points = {point: self._changes(one) for point, one in clicks.items()}
                return drawn | {"kind": "chart", "clicks": points, "opens": opens}
            case b.Table(head, rows, words):
                cells = [[self._line(cell) for cell in line] for line in (head, *rows)]
                return {"kind": "table", "cells": cells, "numbers": not words}
            case b.Numbers(_, head, rows):
                cells = [[[one] for one in line] for line in (head, *_written(rows))]
                return {"kind": "table", "cells": cells, "numbers": True, "scrolls": True}
            case b.Beside(parts, widths):
                inside = [self.write(part) for part in parts]
                placed = {"widths": list(widths), "align": block.align}
                return {"kind": "beside", "parts": inside, **placed}
            case b.Folded(label, inside, opened):
                about: JSON = {"kind": "folded", "label": label, "opened": opened}
                is_made = opened or label in self.opened or not callable(inside)
                return about | {"blocks": self.write(block.inside) if is_made else None}
            case b.InTheApp(_, says):
                return self._block(b.Beside((IN_THE_APP if says else (),), (1,)))

    def _item(self, item: b.Field | b.Button | b.Link | b.File) -> JSON:
        match item:
            case b.Field(choice, value):
                return choice_widget(choice, value).json
            case b.Button(label, sets, about, name, is_off):
                changes = self._changes(sets)
                said = {"label": label, "name": name or label, "help": about, "off": is_off}
                return {"kind": "button", "changes": changes} | said
            case b.Link(label, path, sets):
                to = self._path(path)
                return {"kind": "link", "label": label, "to": to, "changes": _texts(sets)}
            case b.File(label, name):
                return {"kind": "file", "label": label, "file": name}

    def _changes(self, sets: Mapping[str, Any]) -> JSON:
        own = {one.key: one for one in self.choices}
        return {
            name: own[name].text(value) if name in own else url_text(value)
            for name, value in sets.items()
        }

    def _words(self, text: str) -> list[Part]:
        return markdown_parts(text, self._link)

    def _line(self, text: str) -> Part:
        """One line: the parts of its only paragraph."""
        return [part for block in self._words(text) for part in block[2:]]

    def _path(self, path: str) -> str | None:
        now = page_of(path).url_path
        return now if now in self.shown else None

    def _link(self, target: str) -> str | None:
        """The target of a link here: pages stand behind #, those of the app alone have none."""
        parts = urlsplit(target)
        if parts.scheme in ("http", "https"):
            return target
        if lesson := parse_qs(parts.query).get("lesson"):
            return _lesson_file(lesson[-1])
        path = self._path(parts.path)
        return path and f"?{parts.query}#{path}"


def _written(rows: Sequence[Sequence[str | float | None]]) -> list[list[str]]:
    """The numbers of a table as texts, with as many decimals as the app shows."""
    numbers = [abs(one) for line in rows for one in line if isinstance(one, float)]
    digits = decimals_for(max(filter(math.isfinite, numbers), default=0.0))
    return [[_cell(one, digits) for one in line] for line in rows]


def _cell(value: str | float | None, digits: int) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else format_decimals(value, digits)


def _lesson_file(name: str) -> str:
    """The page of a lesson on the site."""
    return f"lessons/{name}.html"


def _texts(sets: Mapping[str, Any]) -> dict[str, str]:
    """Choices as the URL holds them."""
    return {name: url_text(value) for name, value in sets.items()}
