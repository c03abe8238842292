"""A process that votes: `python -m tests.lab.classroom.voting FILE ROOM FIRST COUNT NOW EACH` opens
the file anew for every EACH votes, and writes a line for each vote that is on the disk.
"""

from __future__ import annotations

import sys
from pathlib import Path

from attention_lab.classroom.rooms import Rooms
from tests.lab.classroom.rooms_made import token

if __name__ == "__main__":
    path, room, now = Path(sys.argv[1]), sys.argv[2], float(sys.argv[5])
    first, count, each = (int(sys.argv[place]) for place in (3, 4, 6))
    for begin in range(first, first + count, each):
        rooms = Rooms(path, lambda: now)
        for visitor in range(begin, min(begin + each, first + count)):
            rooms.vote(room, token(visitor), 1, float(visitor))
            sys.stdout.write(f"{visitor}\n")
            sys.stdout.flush()
        rooms.file.close()
