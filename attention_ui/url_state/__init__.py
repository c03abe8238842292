"""What a visitor chose: kept in the session, shown in the URL. `README.md` tells how and why."""

from .binding import (
    KEPT,
    ON_OFF,
    Refusal,
    adopt,
    bound,
    listen,
    mirror,
    refuse,
    refuse_unheard,
    say_refused,
    start_anew,
    wish,
)
from .choose_one import one_of
from .groups import as_texts, bring_along, folded, needed, stays_open
from .navigation import ask_for, go_where_asked
from .places import adopt_place, choose_place, named_places, pin_places, pinned, place_in, tell
from .session import Visit, begin_run, visit
from .whole_numbers import LAST_SEED, seed_input, whole_number_input

__all__ = [
    "KEPT",
    "LAST_SEED",
    "ON_OFF",
    "Refusal",
    "Visit",
    "adopt",
    "adopt_place",
    "as_texts",
    "ask_for",
    "begin_run",
    "bound",
    "bring_along",
    "choose_place",
    "folded",
    "go_where_asked",
    "listen",
    "mirror",
    "named_places",
    "needed",
    "one_of",
    "pin_places",
    "pinned",
    "place_in",
    "refuse",
    "refuse_unheard",
    "say_refused",
    "seed_input",
    "start_anew",
    "stays_open",
    "tell",
    "visit",
    "whole_number_input",
    "wish",
]
