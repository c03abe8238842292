"""What a file without a server holds: the texts that its script unpacks, and its scenes."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any


def unpacked(html: str, name: str) -> str:
    """A packed text of a page, by its id."""
    (packed,) = re.findall(rf'<script type="text/plain" class="packed" id="{name}">(.*?)<', html)
    return zlib.decompress(base64.b64decode(packed)).decode()


def story_in(html: str) -> dict[str, Any]:
    """What the script of a story or a lesson reads."""
    found: dict[str, Any] = json.loads(unpacked(html, "story"))
    return found


def whole(pool: list[Any], part: Any) -> Any:
    """A part with the entries of the pool in their places."""
    if isinstance(part, dict) and part.keys() == {"$"}:
        return whole(pool, pool[part["$"]])
    if isinstance(part, dict):
        return {name: whole(pool, one) for name, one in part.items()}
    if isinstance(part, list):
        return [whole(pool, one) for one in part]
    return part


def scene_in(story: dict[str, Any], path: str, key: str) -> dict[str, Any]:
    """A scene of a step by what is chosen."""
    (step,) = [one for one in story["steps"] if one["path"] == path]
    found: dict[str, Any] = whole(story["pool"], {"$": step["scenes"][key]})
    return found
