"""Markdown as parts that the site draws; it reads what `blocks` says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .step_scene import mathml

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
    found: list[Part] = []
    for block in re.split(r"\n{2,}", text.strip()):
        lines = re.sub(r"\n {2,}", " ", block).split("\n")  # an item may have several lines
        is_item = [line.startswith("- ") for line in lines]
        first = is_item.index(True) if any(is_item) else len(lines)
        if first:
            found.append(["p", {}, *_inline(" ".join(lines[:first]), link)])
        if any(is_item):
            items = [line.removeprefix("- ") for line in lines[first:]]
            found.append(["ul", {}, *(["li", {}, *_inline(item, link)] for item in items)])
    return found


def _inline(text: str, link: Callable[[str], str | None]) -> Part:
    """The texts and parts of one paragraph."""
    stack: list[Part] = [["", {}]]
    place = 0
    while found := _MARK.search(text, place):
        stack[-1].append(text[place : found.start()])
        place = found.end()
        match found.lastgroup:
            case "plain":
                stack[-1].append(found["plain"])
            case "formula":
                stack[-1].append(mathml(found["formula"]))
            case "code":
                stack[-1].append(["code", {}, found["code"]])
            case "colour":
                stack.append(["span", {"class": found["colour"]}])
            case "open":
                stack.append(["a", {}])
            case "strong" | "em" as tag if stack[-1][0] == tag:
                _end(stack)
            case "strong" | "em" as tag:
                stack.append([tag, {}])
            case "close" if stack[-1][0] == "a":
                target = _TARGET.match(text, place)
                if target is None:  # brackets are no link
                    inside = stack.pop()[2:]
                    stack[-1] += ["[", *inside, "]"]
                    continue
                place, href = target.end(), link(target[1])
                if href is None:
                    stack[-1][0] = "span"
                else:
                    stack[-1][1] = {"href": href}
                _end(stack)
            case "close" if stack[-1][0] == "span":
                _end(stack)
            case "close":
                stack[-1].append("]")
    stack[-1].append(text[place:])
    while len(stack) > 1:
        _end(stack)
    return _joined(stack[0][2:])


def _end(stack: list[Part]) -> None:
    tag, about, *parts = stack.pop()
    stack[-1].append([tag, about, *_joined(parts)])


def _joined(parts: Part) -> Part:
    """Parts in which neighbouring texts are one."""
    found: Part = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return found
