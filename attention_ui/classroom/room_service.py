"""The rooms as this process serves them: answers to browsers are cached for a moment, and votes are
written one batch after the other.
"""

import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from queue import Empty, SimpleQueue
from secrets import token_hex
from typing import Any

from attention_core.errors import AttentionError, FileError
from attention_lab.classroom.class_question import pictures_of, question_id
from attention_lab.classroom.limits import (
    CLASS_LIMITS,
    Limits,
    RateLimiter,
    RoomError,
    TooManyError,
)
from attention_lab.classroom.place import Place, class_place
from attention_lab.classroom.rooms import Rooms
from attention_lab.classroom.tally import count_answers, histogram, read_answers
from attention_lab.classroom.votes import Presence, RoomState, Vote
from attention_lab.quiz import Question

from .waiting import FRESH_SECONDS, RoomNews, Waiting

PRESENT_SECONDS = 12.0  # three times the longest wait for news
TELL_SECONDS = 1.0  # at least, between two counts of people that other processes are told
MAX_KEPT_ROOMS = 500  # in the cache, each for teacher and students
MAX_WAITING_VOTES = 500  # for the disk
MAX_VOTES_PER_WRITE = 100


class RoomService:
    """All rooms of a place, for many browsers at the same time."""

    def __init__(
        self,
        place: Place,
        clock: Callable[[], float] = time.monotonic,
        limits: Limits = CLASS_LIMITS,
    ) -> None:
        self.rooms = Rooms(place, limits=limits)
        self._queue: SimpleQueue[tuple[Vote, Future[None]]] = SimpleQueue()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="votes of classes")
        self._clock = clock
        self._visitor_limiter = RateLimiter(limits.pace, limits.burst, clock)
        self._source_limiter = RateLimiter(limits.source_pace, limits.source_burst, clock)
        self._visit_misses = RateLimiter(limits.visit_miss_pace, limits.visit_misses, clock)
        self._network_misses = RateLimiter(limits.miss_pace, limits.misses, clock)
        self.waiting = Waiting(self.news, limits)
        self.presence = Presence(PRESENT_SECONDS, clock, limits)
        self._process = token_hex(8)
        self._told: dict[str, tuple[float, int]] = {}
        self._cache: dict[tuple[str, bool], tuple[float, RoomNews]] = {}

    def enter(
        self, room: str, source: str, visit: str = "", *, secret: str = "", ticket: str = ""
    ) -> bool:
        """Look whether there is a room; who tries letters is slowed down, but not who is already in
        the room or has its ticket, and not its teacher: for them the result is True.

        source: the network; visit: the token of the browser, or of the visit of a page, which has
        a measure of its own in its network.
        Raises: RoomError; TooManyError for a visit or a network with too many wrong letters,
        whatever the room, so that nobody learns which letters are right.
        """
        if self.presence.is_in(room, visit) or self.rooms.is_ticket(room, ticket):
            return True
        if secret and self.rooms.is_teacher(room, secret):
            return True
        measures = [(self._network_misses, source, "from your network address")]
        if visit:
            measures.insert(0, (self._visit_misses, visit, "from you"))
        for limiter, who, whence in measures:
            if not limiter.would_allow(who):
                raise TooManyError(
                    f"Too many wrong letters came {whence}; wait {limiter.seconds_to_wait()} s and"
                    " try again"
                )
        try:
            self.rooms.state(room)
        except RoomError:
            for limiter, who, _ in measures:
                limiter.allows(who)
            raise
        return False

    def news(self, room: str, to_teacher: bool) -> RoomNews:
        """The state of a room for a student, or for the teacher, who also sees each vote and how
        many are there.

        Raises: RoomError.
        """
        known, now = self._cache.get((room, to_teacher)), self._clock()
        if known and now - known[0] < FRESH_SECONDS:
            return known[1]
        state = self.rooms.state(room)
        tag = f"{state.opened:.0f}.{state.version}"
        if to_teacher:
            tag += f".{state.n_writes}.{self.people(room)}"
        if not known or known[1].tag != tag:
            body = {"tag": tag, **self._body(state, to_teacher)}
            known = (now, RoomNews(tag, json.dumps(body).encode()))
        if len(self._cache) >= 2 * MAX_KEPT_ROOMS:
            self._cache.clear()
        self._cache[room, to_teacher] = (now, known[1])
        return known[1]

    def people(self, room: str) -> int:
        """How many people are in a room, in all processes of the app."""
        elsewhere = self.rooms.people_elsewhere(room, self._process, PRESENT_SECONDS)
        return self.presence.count(room) + elsewhere

    def tell_people(self, room: str) -> None:
        """Tell the other processes how many people this one has in a room, if they do not know."""
        count, now = self.presence.count(room), self._clock()
        at, told = self._told.get(room, (-math.inf, 0))
        if now - at < (TELL_SECONDS if count != told else PRESENT_SECONDS / 3):
            return
        if len(self._told) >= MAX_KEPT_ROOMS:
            self._told.clear()
        self._told[room] = (now, count)
        self._writer.submit(self._write_people, room, count)

    def _write_people(self, room: str, count: int) -> None:
        with suppress(AttentionError):  # the next count tries again
            self.rooms.tell_people(room, self._process, count, PRESENT_SECONDS)

    def vote(
        self, room: str, token: str, number: int, answer: float, source: str, ticket: str = ""
    ) -> Future[None]:
        """Queue a vote; the future is done when it is on the disk. source: the network, which
        bounds the votes of those who are not in the room.

        Raises: RoomError; TooManyError for a visitor or a network that sends too fast; then
        nothing is written.
        """
        is_in = self.enter(room, source, token, ticket=ticket)
        measures = [(self._visitor_limiter, token), (self._source_limiter, source)]
        for limiter, who in measures[: 1 if is_in else 2]:
            if not limiter.allows(who):
                raise TooManyError(
                    f"Answers come too fast; send the last one again in"
                    f" {limiter.seconds_to_wait()} s"
                )
        if self._queue.qsize() >= MAX_WAITING_VOTES:
            raise TooManyError(
                f"{MAX_WAITING_VOTES} answers of others wait to be written; send yours again in 1 s"
            )
        written: Future[None] = Future()
        self._queue.put((Vote(room, token, number, answer, source), written))
        self._writer.submit(self._write)
        return written

    def _write(self) -> None:
        """Write all votes in the queue together."""
        waiting: list[tuple[Vote, Future[None]]] = []
        with suppress(Empty):
            while len(waiting) < MAX_VOTES_PER_WRITE:
                waiting.append(self._queue.get_nowait())
        if not waiting:
            return  # an earlier batch included this vote
        refusals: Sequence[AttentionError | None] = ()
        try:
            refusals = self.rooms.vote_all([vote for vote, _ in waiting])
        except AttentionError as error:
            refusals = [error] * len(waiting)
        finally:  # nobody waits forever, even after a bug
            lost = [FileError("The vote could not be written; send it again")] * len(waiting)
            for (_, written), refused in zip(waiting, refusals or lost, strict=True):
                if written.set_running_or_notify_cancel():
                    written.set_exception(refused) if refused else written.set_result(None)

    def change(self, action: Callable[[Rooms], Any], room: str) -> Any:
        """Run an action of a teacher in a room; all browsers see it at once."""
        done = action(self.rooms)
        for to_teacher in (True, False):
            self._cache.pop((room, to_teacher), None)
        return done

    def _body(self, state: RoomState, to_teacher: bool) -> dict[str, Any]:
        body = {name: getattr(state, name) for name in ("room", "state", "number", "moment")}
        body |= {"moments": state.n_moments}
        if to_teacher:
            body |= {"people": self.people(state.room)}
        if state.question is None:
            return body
        asked = state.question
        body |= {  # without its answer
            "question": {
                "kind": asked.kind,
                "text": asked.text,
                "given": asked.given,
                "options": [one.label for one in asked.options],
                "pictures": pictures_of(asked),
            }
        }
        if to_teacher:
            body |= {"of": question_id(asked)}
        is_over, is_revealed = state.state != "open", state.state == "revealed"
        if is_over or to_teacher:
            body |= {"count": count_answers(self.rooms, state.room, state.number)}
        if is_revealed or (is_over and to_teacher):
            bars = histogram(asked, read_answers(self.rooms, state.room, state.number))
            body |= {"bars": [[bar.label, bar.count] for bar in bars]}
            if is_revealed:
                told = {
                    "arithmetic": asked.why,
                    "answer": asked.value,
                    "tolerance": asked.tolerance,
                }
                body |= told
                body |= {"right": [bar.is_right for bar in bars].index(True)}
        return body


def ask_class(rooms: Rooms, room: str, secret: str, posed: Question) -> None:
    """Ask a question, open its vote, and send those who follow to it."""
    rooms.ask(room, secret, posed)
    rooms.set_state(room, secret, "open")
    rooms.move(room, secret, f"/class?room={room}")


_service_at = lru_cache(maxsize=8)(RoomService)


def room_service() -> RoomService:
    """The service of the place that `class_place` names."""
    return _service_at(class_place())
