"""The memory that the files of all visitors may take together.

Streamlit keeps every uploaded file until two minutes after its visitor has left, even if no page
asked for it. So one visitor's script could fill the memory. A file that does not fit is dropped,
and the page says so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, Protocol

from attention_core.errors import FileError
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES

from .streamlit_private import MemoryUploadedFileManager, UploadedFileRec

MAX_UPLOADED_BYTES = 2 * MAX_WEIGHT_BYTES
# Of one file, besides its data, generously. So the number of files is bounded, too.
FILE_OVERHEAD_BYTES = 2**16
DROPPED_TYPE = "application/x-not-kept"  # the type of a file whose data did not fit

AddFile = Callable[[MemoryUploadedFileManager, str, UploadedFileRec], None]
_lock = Lock()


class UploadedFile(Protocol):
    """The part of a visitor's file that is read here."""

    type: str


def limit_uploads() -> None:
    """Make Streamlit drop files that do not fit."""
    files: Any = MemoryUploadedFileManager
    with _lock:
        if not hasattr(files.add_file, "__wrapped__"):
            files.add_file = limit_add_file(files.add_file)


def limit_add_file(add_file: AddFile) -> AddFile:
    """`add_file`, but of a file that does not fit only the name is kept."""
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
    """The bytes of all visitors' files."""
    # Copies, because a visitor who leaves removes entries meanwhile.
    return sum(
        _size(file)
        for files in list(manager.file_storage.values())
        for file in list(files.values())
    )


def check_upload(file: UploadedFile) -> None:
    """Raises: FileError for a file that did not fit."""
    if file.type == DROPPED_TYPE:
        raise FileError(
            f"All visitors' files together may take {MAX_UPLOADED_BYTES:,} bytes of this server,"
            " and this file did not fit: remove a file that you have loaded, or try again in some"
            " minutes"
        )


def _size(file: UploadedFileRec) -> int:
    return len(file.data) + FILE_OVERHEAD_BYTES
