"""One quantity, several ways to write it: our notation, and that of five source texts."""

from .array_axes import axes, axis_names, joined, shape
from .notation import symbol
from .quantities import glossary, remark
from .wording import says, turned

__all__ = [
    "axes",
    "axis_names",
    "glossary",
    "joined",
    "remark",
    "says",
    "shape",
    "symbol",
    "turned",
]
