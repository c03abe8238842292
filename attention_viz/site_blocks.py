"""Blocks as the JSON from which the site draws them (`assets/site/blocks.js`). At the
end: Markdown as parts; it reads what `blocks` says of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attention_lab.page_list import page_of
from attention_lab.url_values import url_text
from attention_lab.words.numbers import decimals_for, format_decimals

from . import blocks as b
from .markdown import escape_markdown
from .page_choices import Choice
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

    choices: Sequence[Choice]
    shown: Collection[str]
    dark: bool = False
    opened: Collection[str] = ()

    def write(self, blocks: Sequence[b.Block]) -> list[JSON]:
        """Blocks as JSON objects, each with its kind."""
        return [self._block(block) for block in blocks]

    def _block(self, block: b.Block) -> JSON:
        match block:
            case b.Text() | b.Heading() | b.Note() | b.Formula() | b.Refused() | b.Code():
                return self._said(block)
            case b.Row(items):
                return {"kind": "row", "items": [self._item(item) for item in items]}
            case b.Button() | b.Link() | b.File():
                return {"kind": "row", "items": [self._item(block)]}
            case b.ShareLink(page, sets):
                return self._share(page, sets)
            case b.Progress(_, text):
                return self._said(b.caption(text))
            case b.Later(seconds, sets):
                return {"kind": "later", "seconds": seconds, "changes": self._changes(sets)}
            case b.Board():
                return self._board(block)
            case b.Chart():
                return self._chart(block)
            case b.Table() | b.Numbers():
                return self._table(block)
            case b.Beside(parts, widths):
                inside = [self.write(part) for part in parts]
                sides = {"widths": list(widths), "align": block.align}
                return {"kind": "beside", "parts": inside} | sides
            case b.Folded():
                return self._folded(block)
            case b.InTheApp(_, says):
                return self._block(b.Beside((IN_THE_APP if says else (),), (1,)))

    def _said(self, block: b.Text | b.Heading | b.Note | b.Formula | b.Refused | b.Code) -> JSON:
        """What is read, in words or in signs."""
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
                return self._said(b.Note(escape_markdown(str(why)), "wrong"))
            case b.Code(text):
                return {"kind": "code", "text": text}

    def _table(self, table: b.Table | b.Numbers) -> JSON:
        match table:
            case b.Table(head, rows, words):
                cells = [[self._line(cell) for cell in line] for line in (head, *rows)]
                return {"kind": "table", "cells": cells, "numbers": not words}
            case b.Numbers(_, head, rows):
                cells = [[[one] for one in line] for line in (head, *_written(rows))]
                return {"kind": "table", "cells": cells, "numbers": True, "scrolls": True}

    def _folded(self, block: b.Folded) -> JSON:
        is_made = block.opened or block.label in self.opened or not callable(block.blocks)
        inside = self.write(block.inside) if is_made else None
        return {"kind": "folded", "label": block.label, "opened": block.opened, "blocks": inside}

    def _share(self, page: str, sets: Mapping[str, Any]) -> JSON:
        own, changes = [one.key for one in self.choices], _texts(sets)
        file = "" if page else _lesson_file(changes["lesson"])
        return {"kind": "share", "page": page, "file": file, "own": own, "changes": changes}

    def _board(self, block: b.Board) -> JSON:
        board = coloured_scene(block.scene, "both", 1.0)
        return {
            "kind": "board",
            "board": board | ({"fits": True} if block.fits else {}),
            "clicks": {name: [*map(self._changes, each)] for name, each in block.clicks.items()},
            "sets": block.sets,
            "opens": block.opens,
            "press": block.name if block.press else "",
        }

    def _chart(self, block: b.Chart) -> JSON:
        return {
            "kind": "chart",
            "figure": figure_json(block.figure, "dark" if self.dark else "light"),
            "name": block.name.replace(" ", "-"),
            "wide": block.wide,
            "clicks": {point: self._changes(one) for point, one in block.clicks.items()},
            "opens": block.opens,
        }

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


# What the site reads of Markdown: an escape, a formula, code, the begin of a link or of a colour,
# an icon of Streamlit, and the marks of strong and stressed words.
_MARK = re.compile(
    r"\\(?P<plain>.)|\$(?P<formula>[^$]+)\$|`(?P<code>[^`]*)`|(?P<icon>:material/\w+:)"
    r"|:(?P<colour>blue|red|green|violet|orange)\[|(?P<open>\[)|(?P<close>\])|(?P<strong>\*\*)|(?P<em>\*)"
)
_TARGET = re.compile(r"\(([^()\s]*)\)")
Part = list[Any]  # a tag, its attributes, then texts and parts, as `mathml` gives a formula


def markdown_parts(text: str, link: Callable[[str], str | None] = str) -> list[Part]:
    """Markdown as paragraphs and lists in nested lists: tag, attributes, then texts and parts.

    link: the target of a link on the page that shows it; None for a link that it leaves out.

    >>> markdown_parts(r"**two** \\<b>")
    [['p', {}, ['strong', {}, 'two'], ' <b>']]
    """
    parts: list[Part] = []
    for block in re.split(r"\n{2,}", text.strip()):
        lines = re.sub(r"\n {2,}", " ", block).split("\n")  # an item may have several lines
        is_item = [line.startswith("- ") for line in lines]
        first = is_item.index(True) if any(is_item) else len(lines)
        if first:
            parts.append(["p", {}, *_inline(" ".join(lines[:first]), link)])
        if any(is_item):
            items = [line.removeprefix("- ") for line in lines[first:]]
            parts.append(["ul", {}, *(["li", {}, *_inline(item, link)] for item in items)])
    return parts


def _inline(text: str, link: Callable[[str], str | None]) -> Part:
    """The texts and parts of one paragraph."""
    stack: list[Part] = [["", {}]]
    place = 0
    while mark := _MARK.search(text, place):
        stack[-1].append(text[place : mark.start()])
        place = mark.end()
        match mark.lastgroup:
            case "plain":
                stack[-1].append(mark["plain"])
            case "formula":
                stack[-1].append(mathml(mark["formula"]))
            case "code":
                stack[-1].append(["code", {}, mark["code"]])
            case "colour":
                stack.append(["span", {"class": mark["colour"]}])
            case "open":
                stack.append(["a", {}])
            case "strong" | "em" as tag if stack[-1][0] == tag:
                _end(stack)
            case "strong" | "em" as tag:
                stack.append([tag, {}])
            case "close" if stack[-1][0] == "a":
                place = _close_link(stack, text, place, link)
            case "close" if stack[-1][0] == "span":
                _end(stack)
            case "close":
                stack[-1].append("]")
    stack[-1].append(text[place:])
    while len(stack) > 1:
        _end(stack)
    return _joined(stack[0][2:])


def _close_link(stack: list[Part], text: str, place: int, link: Callable[[str], str | None]) -> int:
    """Close brackets, which are a link where a target follows; gives the place behind it."""
    target = _TARGET.match(text, place)
    if target is None:
        inside = stack.pop()[2:]
        stack[-1] += ["[", *inside, "]"]
        return place
    href = link(target[1])
    if href is None:
        stack[-1][0] = "span"
    else:
        stack[-1][1] = {"href": href}
    _end(stack)
    return target.end()


def _end(stack: list[Part]) -> None:
    tag, about, *parts = stack.pop()
    stack[-1].append([tag, about, *_joined(parts)])


def _joined(parts: Part) -> Part:
    """Parts in which neighbouring texts are one."""
    joined: Part = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return joined
