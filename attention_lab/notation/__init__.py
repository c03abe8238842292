"""One quantity, several ways to write it: our notation, and that of five source texts."""

from .array_axes import axes, axis_names, joined, shape
from .notation import symbol
from .quantities import glossary, remark

__all__ = [
    "axes",
    "axis_names",
    "glossary",
    "joined",
    "remark",
    "shape",
    "symbol",
]
