"""The memory that the files of all visitors may take together, with those that are on their way.

Streamlit keeps every uploaded file until two minutes after its visitor has left, even if no page
asked for it. So one visitor's script could fill the memory. What has arrived counts, not what is
announced, and it has to arrive at some speed. Of a file that does not fit nothing but a note is
kept, and the page says so; its bytes are let go as they come.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.datastructures import MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attention_core.errors import FileError
from attention_lab.classroom.limits import network_of
from attention_lab.files.weight_formats import MAX_WEIGHT_BYTES

from .streamlit_private import drop_files_of, is_here, kept_files

# Of one file, besides its data, generously: so the number of files is bounded, too. A file that
# arrives takes its room in steps of so much.
FILE_OVERHEAD_BYTES = 2**18
MAX_UPLOADED_BYTES = 2 * MAX_WEIGHT_BYTES
# What others have of it at least: a file of half the largest size.
MAX_BYTES_OF_NETWORK = MAX_UPLOADED_BYTES * 3 // 4
MAX_BYTES_OF_VISIT = MAX_WEIGHT_BYTES + 2**24  # the largest file, and small ones beside it
# The first so many bytes may take a minute, as on the shared line of a school, and each further
# ones ten seconds, which is 64 kB a second. So what stops coming holds its room for ten seconds.
STEP_BYTES, FIRST_STEP_SECONDS, STEP_SECONDS = 640_000, 60.0, 10.0
# A page that has lost its network for less than this finds its files again. It is noticed, and
# looked at again, every ten seconds, so files go within a minute.
SECONDS_KEPT_AFTER_VISIT = 40.0
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


class NoRoomError(Exception):
    """What arrives does not fit any more."""


class SlowError(Exception):
    """A file does not arrive fast enough."""


@dataclass(eq=False)
class Arriving:
    """A file on its way. n_bytes: the room that it has; n_arrived: what has come of it.

    deadline: of the loop's clock, until which the next step has to be there; left: its bytes.
    """

    visit: str
    network: str
    receive: Receive
    deadline: float
    n_bytes: int = FILE_OVERHEAD_BYTES
    n_arrived: int = 0
    left: int = STEP_BYTES
    is_whole: bool = False

    async def next(self) -> Message:
        """The next part. Raises: SlowError."""
        try:
            async with asyncio.timeout_at(self.deadline):
                message = await self.receive()
        except TimeoutError as error:
            raise SlowError from error
        size = len(message.get("body", b""))
        self.n_arrived += size
        self.left -= size
        self.is_whole = not message.get("more_body")
        if self.left <= 0:
            self.left = STEP_BYTES
            self.deadline = asyncio.get_running_loop().time() + STEP_SECONDS
        return message


class UploadRoom:
    """Server middleware that lets no more of files in than fits. All visitors share the room; a
    network, and more so a visit, has a bounded part, so that it cannot keep all others out.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.arriving: set[Arriving] = set()
        self._networks: dict[str, str] = {}  # of the visits that have files
        # Otherwise a file larger than this lies in a temporary folder, which not every server has.
        MultiPartParser.spool_max_size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http" or scope["method"] != "PUT" or UPLOAD_PATH not in scope["path"]:
            await self.app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + FIRST_STEP_SECONDS
        visit = scope["path"].split(UPLOAD_PATH)[1].split("/")[0]
        network = network_of((scope.get("client") or (None,))[0])
        file = Arriving(visit, network, receive, deadline)
        self.arriving.add(file)
        try:
            self._check_room(file)
            await self._serve(file, scope, send)
        except NoRoomError:
            await PlainTextResponse("No room for another file", 503)(scope, receive, send)
        except SlowError:
            headers = {"connection": "close"}
            await PlainTextResponse("The file came too slowly", 408, headers)(scope, receive, send)
        finally:
            self.arriving.discard(file)

    async def _serve(self, file: Arriving, scope: Scope, send: Send) -> None:
        async def receive() -> Message:
            message = await file.next()
            while file.n_arrived > file.n_bytes:
                file.n_bytes += FILE_OVERHEAD_BYTES
                self._check_room(file)
            return message

        try:
            await self.app(scope, receive, send)
        except NoRoomError:
            file.n_bytes = FILE_OVERHEAD_BYTES
            await self.app(*_note_instead(scope, file), send)

    def _check_room(self, file: Arriving) -> None:
        """Raises: NoRoomError."""
        sizes = Counter({visit: size_of(files) for visit, files in kept_files().items()})
        for one in self.arriving:
            sizes[one.visit] += one.n_bytes
            self._networks.setdefault(one.visit, one.network)
        self._networks = {visit: self._networks.get(visit, "") for visit in sizes}
        of_network = sum(
            n_bytes for visit, n_bytes in sizes.items() if self._networks[visit] == file.network
        )
        if (
            sizes.total() > MAX_UPLOADED_BYTES
            or of_network > MAX_BYTES_OF_NETWORK
            or sizes[file.visit] > MAX_BYTES_OF_VISIT
        ):
            raise NoRoomError


def _note_instead(scope: Scope, file: Arriving) -> tuple[Scope, Receive]:
    """A request that brings the note, after the rest of the body has been let go."""
    scope = {**scope, "headers": list(scope["headers"])}
    headers = MutableHeaders(scope=scope)
    headers["content-type"] = "multipart/form-data; boundary=note"
    headers["content-length"] = str(len(_NOTE))

    async def receive_note() -> Message:
        while not file.is_whole:
            message = await file.next()
            if message["type"] != "http.request":
                return message
        return {"type": "http.request", "body": _NOTE, "more_body": False}

    return scope, receive_note


def size_of(files: Iterable[Any]) -> int:
    """The bytes of files, with all that belongs to them."""
    return sum(len(file.data) + FILE_OVERHEAD_BYTES for file in files)


class LeftFiles:
    """Since when visits that have files are gone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}

    def drop(self) -> None:
        """Drop the files of visits that were left some time ago."""
        now, left = self._clock(), [visit for visit in kept_files() if not is_here(visit)]
        self._since = {visit: self._since.get(visit, now) for visit in left}
        for visit, since in self._since.items():
            if now - since >= SECONDS_KEPT_AFTER_VISIT:
                drop_files_of(visit)


def check_upload(file: UploadedFile) -> None:
    """Raises: FileError for a file that did not fit."""
    if file.type == DROPPED_TYPE:
        raise FileError(
            f"All visitors' files together may take {MAX_UPLOADED_BYTES:,} bytes of this server,"
            f" those of one visit {MAX_BYTES_OF_VISIT:,}, and this file did not fit: remove a file"
            " that you have loaded, or try again in some minutes"
        )
