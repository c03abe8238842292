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

MAX_UPLOADED_BYTES = 2 * MAX_WEIGHT_BYTES
# What a file takes besides its bytes, generously: so there is a bound on the number of files, too.
FILE_OVERHEAD_BYTES = 2**16
DROPPED_TYPE = "application/x-not-kept"  # the type of a file whose bytes had no room

AddFile = Callable[[MemoryUploadedFileManager, str, UploadedFileRec], None]
_lock = Lock()


class SentFile(Protocol):
    """What of a visitor's file is looked at."""

    type: str


def limit_uploads() -> None:
    """From now on Streamlit keeps files only while there is room."""
    files: Any = MemoryUploadedFileManager
    with _lock:
        if not hasattr(files.add_file, "__wrapped__"):
            files.add_file = limited(files.add_file)


def limited(add_file: AddFile) -> AddFile:
    """The same, but of a file that has no room only the name is kept."""
    one_at_a_time = Lock()

    @wraps(add_file)
    def add(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        with one_at_a_time:
            if used_bytes(self) + _size(file) > MAX_UPLOADED_BYTES:
                file = file._replace(type=DROPPED_TYPE, data=b"")
                if used_bytes(self) + _size(file) > MAX_UPLOADED_BYTES:
                    return
            add_file(self, session_id, file)

    return add


def used_bytes(manager: MemoryUploadedFileManager) -> int:
    """The bytes that the files of all visitors take."""
    # Lists, because a visitor who leaves takes entries away meanwhile.
    return sum(
        _size(file)
        for files in list(manager.file_storage.values())
        for file in list(files.values())
    )


def check_upload(file: SentFile) -> None:
    """Raises: FileError for a file that there was no room for."""
    if file.type == DROPPED_TYPE:
        raise FileError(
            f"All visitors' files together may take {MAX_UPLOADED_BYTES:,} bytes of this server,"
            " and this file did not fit: remove a file that you have loaded, or try again in some"
            " minutes"
        )


def _size(file: UploadedFileRec) -> int:
    return len(file.data) + FILE_OVERHEAD_BYTES
