"""The memory that the files of all visitors may take together, with those that are on their way.

Streamlit keeps every uploaded file until two minutes after its visitor has left, even if no page
asked for it. So one visitor's script could fill the memory. Of a file that does not fit nothing but
a note is kept, and the page says so; its bytes are let go as they come.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attention_core.errors import FileError
from attention_lab.classroom.limits import network_of
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES

from .streamlit_private import kept_files

MAX_UPLOADED_BYTES = 2 * MAX_WEIGHT_BYTES
# Of one file, besides its data, generously. So the number of files is bounded, too.
FILE_OVERHEAD_BYTES = 2**16
DROPPED_TYPE = "application/x-not-kept"  # the type of a file whose data did not fit
UPLOAD_PATH = "/_stcore/upload_file/"
# What Streamlit gets in the place of a file that does not fit.
_NOTE = (
    "--note\r\n"
    'Content-Disposition: form-data; name="file"; filename="not kept"\r\n'
    f"Content-Type: {DROPPED_TYPE}\r\n\r\n\r\n"
    "--note--\r\n"
).encode()


class UploadedFile(Protocol):
    """The part of a visitor's file that is read here."""

    type: str


class UploadRoom:
    """Server middleware that lets no more files in than fit, before it reads any of their bytes.

    One network address may have one file, or half of the room, on its way, so that it cannot keep
    all others out by files that never end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._coming: Counter[str] = Counter()  # bytes by network

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if not (
            scope["type"] == "http" and scope["method"] == "PUT" and UPLOAD_PATH in scope["path"]
        ):
            await self.app(scope, receive, send)
            return
        size, source = _told_size(scope), network_of((scope.get("client") or (None,))[0])
        taken = used_bytes() + self._coming.total()
        if taken + FILE_OVERHEAD_BYTES > MAX_UPLOADED_BYTES:
            await PlainTextResponse("No room for another file", 503)(scope, receive, send)
            return
        coming = self._coming[source]
        is_share = not coming or coming + size <= MAX_UPLOADED_BYTES / 2
        if taken + size > MAX_UPLOADED_BYTES or not is_share:
            size = FILE_OVERHEAD_BYTES
            scope, receive = _note_instead(scope, receive)
        self._coming[source] += size
        try:
            await self.app(scope, receive, send)
        finally:
            self._coming[source] -= size
            if not self._coming[source]:
                del self._coming[source]


def _told_size(scope: Scope) -> int:
    """The bytes that a file may take; without a length, which browsers send, those of the largest
    file.
    """
    length = MutableHeaders(scope=scope).get("content-length", "")
    is_told = length.isascii() and length.isdigit() and len(length) < 20
    return FILE_OVERHEAD_BYTES + (int(length) if is_told else MAX_WEIGHT_BYTES)


def _note_instead(scope: Scope, receive: Receive) -> tuple[Scope, Receive]:
    """A request that brings the note, after the body has been let go."""
    scope = {**scope, "headers": list(scope["headers"])}
    headers = MutableHeaders(scope=scope)
    headers["content-type"] = "multipart/form-data; boundary=note"
    headers["content-length"] = str(len(_NOTE))

    async def receive_note() -> Message:
        while (message := await receive())["type"] == "http.request":
            if not message.get("more_body"):
                return {"type": "http.request", "body": _NOTE, "more_body": False}
        return message

    return scope, receive_note


def used_bytes() -> int:
    """The bytes of all visitors' files."""
    return sum(len(file.data) + FILE_OVERHEAD_BYTES for file in kept_files())


def check_upload(file: UploadedFile) -> None:
    """Raises: FileError for a file that did not fit."""
    if file.type == DROPPED_TYPE:
        raise FileError(
            f"All visitors' files together may take {MAX_UPLOADED_BYTES:,} bytes of this server,"
            " and this file did not fit: remove a file that you have loaded, or try again in some"
            " minutes"
        )
