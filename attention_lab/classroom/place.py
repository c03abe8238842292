"""Where the classes of this machine are kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

SETTING = "ATTENTION_LAB_CLASSES"  # the variable of the environment that names another file
NAME = "classes.sqlite3"


def class_file(
    environment: Mapping[str, str] = os.environ,
    system: str = sys.platform,
    home: Path | None = None,
) -> Path:
    """The file of all rooms: the one that is set, else one in the folder for the user's data.

    >>> class_file({}, "linux", Path("/home/ada")).as_posix()
    '/home/ada/.local/share/attention-lab/classes.sqlite3'
    >>> class_file({"ATTENTION_LAB_CLASSES": "/srv/classes.db"}).as_posix()
    '/srv/classes.db'
    """
    if environment.get(SETTING):
        return Path(environment[SETTING])
    at_home = home or Path.home()
    if system == "win32":
        data = Path(environment.get("LOCALAPPDATA") or at_home / "AppData" / "Local")
    elif system == "darwin":
        data = at_home / "Library" / "Application Support"
    else:
        data = Path(environment.get("XDG_DATA_HOME") or at_home / ".local" / "share")
    return data / "attention-lab" / NAME
