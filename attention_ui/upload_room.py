"""How much memory the files of all visitors may take together.

Streamlit keeps every file that is sent until two minutes after its visitor has left, also one that
no page has asked for: one visitor's script could fill the memory. What does not fit is not kept
here, and the page says so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, Protocol

from attention_core.errors import FileError
from attention_lab.files.weight_file import MAX_WEIGHT_BYTES

from .streamlit_private import MemoryUploadedFileManager, UploadedFileRec

ROOM = 2 * MAX_WEIGHT_BYTES
# What a file takes besides its bytes, generously: so there is a bound on the number of files, too.
BESIDES = 2**16
NOT_KEPT = "application/x-not-kept"  # the type of a file whose bytes had no room

AddFile = Callable[[MemoryUploadedFileManager, str, UploadedFileRec], None]
_lock = Lock()


class SentFile(Protocol):
    """What of a visitor's file is looked at."""

    type: str


def bound_uploads() -> None:
    """From now on Streamlit keeps files only while there is room."""
    files: Any = MemoryUploadedFileManager
    with _lock:
        if not hasattr(files.add_file, "__wrapped__"):
            files.add_file = bounded(files.add_file)


def bounded(add_file: AddFile) -> AddFile:
    """The same, but of a file that has no room only the name is kept."""
    one_at_a_time = Lock()

    @wraps(add_file)
    def add(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        with one_at_a_time:
            if taken(self) + _size(file) > ROOM:
                file = file._replace(type=NOT_KEPT, data=b"")
                if taken(self) + _size(file) > ROOM:
                    return
            add_file(self, session_id, file)

    return add


def taken(manager: MemoryUploadedFileManager) -> int:
    """The bytes that the files of all visitors take."""
    # Lists, because a visitor who leaves takes entries away meanwhile.
    return sum(
        _size(file)
        for files in list(manager.file_storage.values())
        for file in list(files.values())
    )


def check_kept(file: SentFile) -> None:
    """Raises: FileError for a file that there was no room for."""
    if file.type == NOT_KEPT:
        raise FileError(
            f"The files of all visitors may take {ROOM:,} bytes of this server together, and this"
            " one did not fit: remove a file that you have loaded, or try again in some minutes"
        )


def _size(file: UploadedFileRec) -> int:
    return len(file.data) + BESIDES
