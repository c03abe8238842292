"""How the tests work in the laboratories: boxes that open."""

from tests.ui.app import opened_at

__all__ = ["opened_at"]
