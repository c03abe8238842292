"""Every error the engine raises on purpose; the app catches `AttentionError` in one place and
shows its sentence.
"""


class AttentionError(ValueError):
    """A request that attention cannot fulfil; the message says what arrived, what was expected,
    and what to do.
    """


class ShapeError(AttentionError):
    """Arrays whose sizes do not fit each other."""


class SettingsError(AttentionError):
    """A setting outside its range, or settings that exclude each other."""


class TextError(AttentionError):
    """A text that gives no tokens, or too many."""


class FileError(AttentionError):
    """A file that is damaged, too large, or not what it says it is."""


def short_repr(value: object) -> str:
    """A value as errors show it, in at most a hundred characters."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of thousands of digits
        text = "a number too long to write"
    return text if len(text) <= 100 else f"{text[:100]}…"
