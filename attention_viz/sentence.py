"""The sentence with arcs: its words in one line, and from the word in focus one arc for each share.

It is a part of a scene, "sentence", as `docs/board.md` explains it. The board draws it and knows
no attention, so all words come from here.
"""

from __future__ import annotations

from collections.abc import Sequence

from attention_core import Trace
from attention_lab.column_names import ColumnNames
from attention_lab.readings import (
    answered_names,
    asked_names,
    key_read_most,
    opposite_head,
    shares_read,
)

from .payload import JSON, Stage
from .pieces import bare, named

MAX_LABELLED = 128  # words; longer sentences have no arcs
# What the board says of the word in focus, with {query}, {key}, {share} and {count} in their place.
READS = {
    "most": "“{query}” reads {share} from “{key}”.",
    "even": "“{query}” reads {count} words equally.",
    "none": "“{query}” reads nothing.",
}


def sentence_part(
    trace: Trace, names: ColumnNames | None, head: int, query: int, size: str = "small"
) -> JSON | None:
    """The sentence of a layer for its scene: the head in focus, and the one that differs most from
    it. None for sentences that are too long, and for layers whose keys are other tokens.

    names: of the columns, if they have names. size: large, or small.
    """
    words = trace.labels("T")
    if len(words) > MAX_LABELLED or words != trace.labels("S"):
        return None
    other = opposite_head(trace, head)
    heads = sorted({head} if other is None else {head, other})
    parts = [_head_part(trace, names, one) for one in heads]
    return _words(words, size, "probabilities", query) | {"heads": parts}


def _words(words: Sequence[str], size: str, array: str, query: int) -> JSON:
    """The words of a sentence, and whose shares are its arcs."""
    said: JSON = named(words)
    about = {"size": size, "words": said.pop("labels"), "array": array, "query": query}
    return about | said | {"says": READS}


def one_head_part(trace: Trace, head: int, query: int, before: str = "") -> JSON | None:
    """The sentence in large type with the arcs of one head. before: what stands before its name."""
    part = sentence_part(trace, None, head, query, "large")
    if part:
        part["heads"] = [one for one in part["heads"] if one["head"] == head]
        part["heads"][0]["title"] = f"{before}head {head}"
    return part


def with_sentence(board: JSON, stage: Stage, head: int | None, query: int) -> JSON:
    """The board of a step with the sentence in small type, unless it already has one. head: None
    before there are heads, so there are no arcs.
    """
    if "sentence" in board:
        return board
    part = sentence_part(stage.trace, stage.names, head or 0, query)
    if part and head is None:
        part["heads"] = []
    return board | {"sentence": part}


def with_arcs(
    board: JSON,
    words: tuple[Sequence[str], Sequence[str]],
    array: str,
    query: int,
    title: str = "",
    size: str = "large",
) -> JSON:
    """A board below the sentence whose arcs are the shares of an array in focus; without it if the
    keys are other tokens than the queries.

    array: where the shares are read until one points at another array of shares. title: of the
    arcs, with {array} and {head} in their place.
    """
    if tuple(words[0]) != tuple(words[1]) or len(words[0]) > MAX_LABELLED:
        return board
    said = _words(words[0], size, array, query) | {"says": READS | {"title": title}}
    return board | {"sentence": said}


def _head_part(trace: Trace, names: ColumnNames | None, head: int) -> JSON:
    """A head's arcs, and what it asks in words where its columns have names, for each word."""
    queries = range(trace.sizes["T"])
    arcs = [
        [[key, round(share, 4)] for key, share in shares_read(trace, head, query)]
        for query in queries
    ]
    about: JSON = {"head": head, "title": f"head {head}", "arcs": arcs}
    if names is not None and names.queries and names.keys:
        about["asks"] = [_asks(trace, names, head, query) for query in queries]
    return about


def _asks(trace: Trace, names: ColumnNames, head: int, query: int) -> list[list[list[str]]]:
    """What a word asks, and what the word that it reads most answers: lines of pairs of a text and
    its role.
    """
    word = f"“{bare(trace.labels('T')[query])}”"
    if names.asks_for and names.asks_for[head]:
        return [[[f"{word} asks for ", ""], [names.asks_for[head], "query"]]]
    asked = asked_names(trace, names, head, query)
    if not asked:
        return [[[f"{word} asks nothing.", ""]]]
    lines = [[[f"{word} asks: ", ""], [" ".join(asked), "query"]]]
    key = key_read_most(trace, head, query)
    if key is not None and (answered := answered_names(trace, names, head, query, key)):
        answer = f"“{trace.labels('S')[key]}” answers: "
        lines.append([[answer, ""], [", ".join(answered), "key"]])
    return lines
