"""What a visitor chose: kept in the session, shown in the URL. `README.md` tells how and why."""

from .binding import KEPT, bound, read_url, requested, rerun_without, restore, write_to_url
from .groups import as_texts, folded, keep_in_url, needed, stays_open
from .navigation import leave_old_url, open_requested_page, request_page
from .places import (
    choose_place,
    named_places,
    pin_places,
    pinned,
    place_in,
    restore_place,
    set_if_changed,
)
from .refusals import ON_OFF, Refusal, refuse, refuse_unusable, show_refusals
from .session import Session, begin_run, session
from .widgets import LAST_SEED, choose_one, seed_input, whole_number_input

__all__ = [
    "KEPT",
    "LAST_SEED",
    "ON_OFF",
    "Refusal",
    "Session",
    "as_texts",
    "begin_run",
    "bound",
    "choose_one",
    "choose_place",
    "folded",
    "keep_in_url",
    "leave_old_url",
    "named_places",
    "needed",
    "open_requested_page",
    "pin_places",
    "pinned",
    "place_in",
    "read_url",
    "refuse",
    "refuse_unusable",
    "request_page",
    "requested",
    "rerun_without",
    "restore",
    "restore_place",
    "seed_input",
    "session",
    "set_if_changed",
    "show_refusals",
    "stays_open",
    "whole_number_input",
    "write_to_url",
]
