"""What the engine answers the static site, and the blocks of an answer."""

from __future__ import annotations

import json
from typing import Any

from attention_viz.site import answer


def answer_to(path: str, query: str, **more: Any) -> dict[str, Any]:
    """The answer to a request. more: what the page sends beside the URL, such as an act."""
    found: dict[str, Any] = json.loads(answer(json.dumps({"path": path, "query": query} | more)))
    return found


def sent_blocks(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The blocks of a kind, also inside others."""
    below, matching = [found["blocks"]], []
    for blocks in below:
        for block in blocks:
            matching += [block] if block["kind"] == kind else []
            below += [*block.get("parts", ()), block.get("blocks") or []]
    return matching
