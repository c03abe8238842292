"""One quantity, several ways to write it: our notation, and that of five source texts."""

from .notation import axes, axis_name, axis_names, shape, symbol
from .quantities import glossary, remark

__all__ = ["axes", "axis_name", "axis_names", "glossary", "remark", "shape", "symbol"]
