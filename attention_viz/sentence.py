"""The sentence with arcs: its words in one line, and from the word in focus one arc for each share.

It is a part of a scene, "sentence", as `docs/board.md` explains it. The board draws it and knows
no attention, so all words come from here.
"""

from collections.abc import Sequence

import numpy as np

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
from .pieces import bare, grouped, label_of, parts_of, touching

MAX_LABELLED = 128  # words; longer sentences have no arcs
# What the board says of the word in focus, with {query}, {key}, {share} and {count} in their place.
READS = {
    "most": "“{query}” reads {share} from “{key}”.",
    "even": "“{query}” reads {count} words equally.",
    "none": "“{query}” reads nothing.",
    "last": "Its last piece, “{piece}”, asks.",
    "piece": "Here its piece “{piece}” asks.",
}
LEAST_OF_PIECES = 0.0005  # smaller shares of pieces are not sent


def sentence_part(
    trace: Trace,
    names: ColumnNames | None,
    head: int,
    query: int,
    size: str = "small",
    pieces: bool = False,
) -> JSON | None:
    """The sentence of a layer for its scene: the head in focus, and the one that differs most from
    it. None for sentences that are too long, and for layers whose keys are other tokens.

    names: of the columns, if they have names. size: large, or small. pieces: whether pieces of a
    word stand alone.
    """
    words = trace.labels("T")
    if len(words) > MAX_LABELLED or words != trace.labels("S"):
        return None
    other = opposite_head(trace, head)
    heads = sorted({head} if other is None else {head, other})
    said = _words(words, size, "probabilities", query, pieces)
    parts = [_head_part(trace, names, one, "groups" in said) for one in heads]
    return said | {"heads": parts}


def _words(words: Sequence[str], size: str, array: str, query: int, pieces: bool) -> JSON:
    """The words of a sentence, and whose shares are its arcs. Where pieces make words, the groups
    of pieces stand beside them, unless pieces stand alone.
    """
    about: JSON = {"size": size, "words": [*map(label_of, words)], "array": array, "query": query}
    if touches := touching(words):
        about["continued"] = touches
    if not pieces and (groups := grouped(words)):
        about["groups"] = [[*one, parts_of(words[one[0] : one[1]], one[2])] for one in groups]
    return about | {"says": READS}


def one_head_part(
    trace: Trace, head: int, query: int, before: str = "", pieces: bool = False
) -> JSON | None:
    """The sentence in large type with the arcs of one head. before: what stands before its name.
    pieces: whether pieces of a word stand alone.
    """
    part = sentence_part(trace, None, head, query, "large", pieces)
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
    part = sentence_part(stage.trace, stage.names, head or 0, query, pieces=stage.pieces)
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
    pieces: bool = False,
) -> JSON:
    """A board below the sentence whose arcs are the shares of an array in focus; without it if the
    keys are other tokens than the queries.

    array: where the shares are read until one points at another array of shares. title: of the
    arcs, with {array} and {head} in their place. pieces: whether pieces of a word stand alone.
    """
    if tuple(words[0]) != tuple(words[1]) or len(words[0]) > MAX_LABELLED:
        return board
    said = _words(words[0], size, array, query, pieces) | {"says": READS | {"title": title}}
    return board | {"sentence": said}


def _head_part(trace: Trace, names: ColumnNames | None, head: int, summed: bool) -> JSON:
    """A head's arcs, and what it asks in words where its columns have names, for each word.
    summed: whether shares of pieces are added up, so that small ones count, too.
    """
    queries = range(trace.sizes["T"])
    read = (
        [_shares_of_pieces(trace, head, one) for one in queries]
        if summed
        else [shares_read(trace, head, one) for one in queries]
    )
    arcs = [[[key, round(share, 4)] for key, share in one] for one in read]
    about: JSON = {"head": head, "title": f"head {head}", "arcs": arcs}
    if names is not None and names.queries and names.keys:
        about["asks"] = [_asks(trace, names, head, query) for query in queries]
    return about


def _shares_of_pieces(trace: Trace, head: int, query: int) -> list[tuple[int, float]]:
    """All shares of a query that sums can show."""
    row_S = trace.probabilities[0, head, query]
    return [(int(key), float(row_S[key])) for key in np.flatnonzero(row_S >= LEAST_OF_PIECES)]


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
