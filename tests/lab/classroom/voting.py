"""A process that votes. Its arguments: place, room, first visitor, count, time, each, seats.

It opens the store anew for as many votes as each says, and writes a line for each that is kept.
"""

from __future__ import annotations

import sys

from attention_lab.classroom.limits import Limits, TooManyError
from attention_lab.classroom.place import class_place
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.store import PLACE_VARIABLE
from tests.lab.classroom.rooms_made import token

if __name__ == "__main__":
    place, room, now = class_place({PLACE_VARIABLE: sys.argv[1]}), sys.argv[2], float(sys.argv[5])
    first, count, each, seats = (int(sys.argv[place]) for place in (3, 4, 6, 7))
    for begin in range(first, first + count, each):
        rooms = Rooms(place, lambda: now, Limits(per_source=seats))
        for visitor in range(begin, min(begin + each, first + count)):
            try:
                rooms.vote(room, token(visitor), 1, float(visitor))
            except TooManyError:
                continue
            sys.stdout.write(f"{visitor}\n")
            sys.stdout.flush()
        rooms.store.close()
