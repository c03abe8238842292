"""Pictures: every function takes a `Trace` and gives a figure, a table or a sentence about it."""

from .notebook import Picture, board, head_view, live_board

__all__ = ["Picture", "board", "head_view", "live_board"]
