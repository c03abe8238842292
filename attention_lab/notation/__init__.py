"""One quantity, several ways to write it: our notation, and that of five source texts."""

from .array_axes import axes, axis_name, axis_names, shape
from .notation import symbol
from .quantities import glossary, remark

__all__ = [
    "axes",
    "axis_name",
    "axis_names",
    "glossary",
    "remark",
    "shape",
    "symbol",
]
