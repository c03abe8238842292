"""Masks, uses of attention, broken layers, and changes that the output does not show."""
