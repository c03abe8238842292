"""A process that votes: `python -m tests.lab.classroom.voting FILE ROOM FIRST COUNT NOW` writes a
line for each vote that is on the disk.
"""

from __future__ import annotations

import sys
from pathlib import Path

from attention_lab.classroom.rooms import Rooms
from tests.lab.classroom.rooms_made import token

if __name__ == "__main__":
    path, room, first, count, now = sys.argv[1:]
    rooms = Rooms(Path(path), lambda: float(now))
    for visitor in range(int(first), int(first) + int(count)):
        rooms.vote(room, token(visitor), 1, float(visitor))
        sys.stdout.write(f"{visitor}\n")
        sys.stdout.flush()
