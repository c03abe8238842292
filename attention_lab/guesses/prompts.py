"""The prompt of a question, with the names of its cell."""

from __future__ import annotations

from attention_core.trace import STEPS, Trace

from .answers import AskedItem, pair_of


def prompt_of(asked: AskedItem) -> str:
    """The prompt with the names of its cell filled in."""
    letters = STEPS[asked.field].letters[1:]
    at = dict(zip(letters, asked.cell, strict=True))
    names = {"field": STEPS[asked.field].title, "feature": str(asked.cell[-1])}
    for letter, name in (("T", "query"), ("S", "key"), ("H", "head"), ("G", "head")):
        if letter in at:
            names[name] = token_name(asked.trace, letter, at[letter])
    names["token"] = names.get("query") or names.get("key", "")
    if asked.item.kind == "grows" and asked.field == "probabilities":
        best, least = pair_of(asked)
        names["key"], names["other"] = (token_name(asked.trace, "S", n) for n in (best, least))
    return asked.item.prompt.format(**names)


def token_name(trace: Trace, letter: str, place: int) -> str:
    """A token in quotation marks, with its position if the word occurs more than once; a head as
    its number.

    >>> from attention_core import Projections, attend
    >>> trace = attend([[1.0], [2.0]], Projections.weightless(1)).labelled(("a", "a"))
    >>> token_name(trace, "T", 1)
    '“a” (position 1)'
    """
    if letter in "HG":
        return str(place)
    labels = trace.labels(letter)
    if labels[place] == str(place):
        return f"token {place}"
    if labels.count(labels[place]) > 1:
        return f"“{labels[place]}” (position {place})"
    return f"“{labels[place]}”"
