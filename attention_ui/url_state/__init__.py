"""What a visitor chose: kept in the session, shown in the URL. `README.md` explains how and why."""

from .binding import (
    PERSISTENCE,
    draw_bound,
    read_url,
    requested,
    rerun_without,
    restore,
    write_to_url,
)
from .groups import control_group, draw_expander, keep_in_url, must_draw, url_texts
from .navigation import leave_old_url, open_requested_page, request_page
from .places import (
    cell_places,
    choose_place,
    held_place,
    numbered_places,
    parse_place,
    restore_place,
    set_if_changed,
    set_places,
)
from .refusals import SWITCH_LABELS, Refusal, refuse, refuse_unusable, show_refusals
from .session import Session, begin_run, session
from .widgets import MAX_SEED, choose_named, choose_one, seed_input, whole_number_input

__all__ = [
    "MAX_SEED",
    "PERSISTENCE",
    "SWITCH_LABELS",
    "Refusal",
    "Session",
    "begin_run",
    "cell_places",
    "choose_named",
    "choose_one",
    "choose_place",
    "control_group",
    "draw_bound",
    "draw_expander",
    "held_place",
    "keep_in_url",
    "leave_old_url",
    "must_draw",
    "numbered_places",
    "open_requested_page",
    "parse_place",
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
    "set_places",
    "show_refusals",
    "url_texts",
    "whole_number_input",
    "write_to_url",
]
