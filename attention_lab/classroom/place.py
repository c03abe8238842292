"""Where the rooms are kept: a file of this machine, or a database of several."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from attention_core.errors import FileError

from .class_database import ClassDatabase
from .class_file import ClassFile
from .store import PLACE_VARIABLE, Store

Place = str | Path  # the URL of a database, or the path of a file


def class_place(
    environment: Mapping[str, str] = os.environ,
    system: str = sys.platform,
    home: Path | None = None,
) -> Place:
    """Where all rooms are: what the environment names, else a file in the user's data folder.

    >>> class_place({}, "linux", Path("/home/ada")).as_posix()
    '/home/ada/.local/share/attention-lab/classes.sqlite3'
    >>> class_place({"ATTENTION_LAB_CLASSES": "/srv/classes.db"}).as_posix()
    '/srv/classes.db'
    >>> class_place({"ATTENTION_LAB_CLASSES": "postgresql://lab@db/classes"})
    'postgresql://lab@db/classes'
    """
    if chosen := environment.get(PLACE_VARIABLE):
        return chosen if "://" in chosen else Path(chosen)
    at_home = home or Path.home()
    if system == "win32":
        data = Path(environment.get("LOCALAPPDATA") or at_home / "AppData" / "Local")
    elif system == "darwin":
        data = at_home / "Library" / "Application Support"
    else:
        data = Path(environment.get("XDG_DATA_HOME") or at_home / ".local" / "share")
    return data / "attention-lab" / "classes.sqlite3"


def is_there(place: Place) -> bool:
    """Whether there may be rooms: nobody has opened one before there is a file."""
    return isinstance(place, str) or place.exists()


def open_store(place: Place) -> Store:
    """The store at a place. Raises: FileError where it cannot be used."""
    if isinstance(place, Path):
        return ClassFile(place)
    if not place.startswith(("postgresql://", "postgres://")):
        raise FileError(
            f"{PLACE_VARIABLE} names neither a file nor a PostgreSQL database; write a path, or a"
            " URL such as postgresql://user:password@host/name"
        )
    return ClassDatabase(place)
