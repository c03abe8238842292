"""Values that share their parts: each part is written once."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

LEAST_LENGTH = 24  # characters of JSON; shorter parts are written where they stand


def pooled(values: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """The pool of all parts, and for each value its place in the pool.

    A part {"$": place} stands for an entry of the pool; assets/board/scene/pool.js puts it in.
    Bytes become base64.

    >>> pooled([{"a": ["word"] * 4}, {"b": ["word"] * 4}])
    ([['word', 'word', 'word', 'word'], {'a': {'$': 0}}, {'b': {'$': 0}}], [1, 2])
    """
    pool: list[Any] = []
    known: dict[str, int] = {}

    def place_of(value: Any) -> int:
        text = json.dumps(value, allow_nan=False)
        if text not in known:
            known[text] = len(pool)
            pool.append(value)
        return known[text]

    def held(value: Any) -> Any:
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        if isinstance(value, dict):
            return {str(name): shared(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [shared(one) for one in value]
        return value

    def shared(value: Any) -> Any:
        found = held(value)
        if not isinstance(found, dict | list) or len(json.dumps(found)) < LEAST_LENGTH:
            return found
        return {"$": place_of(found)}

    return pool, [place_of(held(value)) for value in values]
