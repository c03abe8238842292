"""What is chosen on a stage: which of three matrices, the head, and what is shown of the step."""

from __future__ import annotations

import streamlit as st

from .heads.one_wide_head import open_one_wide_head
from .mask_choice import choose_mask
from .random_weights import show_trained_head
from .sequence import choose_sequence
from .url_state import session

PROJECTED_FIELDS = ("queries", "keys", "values")


def apply_stage_choice(name: object, value: object) -> None:
    """In a callback: take over what was chosen on a stage; what a browser of ours would not send
    is passed over.
    """
    match name, value:
        case "which", str(field) if field in PROJECTED_FIELDS:
            st.session_state["which"] = field
        case ("present" | "hide" | "whole" | "guess") as switch, bool(on):
            st.session_state[switch] = on
        case "weights", "trained":
            show_trained_head(session().page_context.scenario)
        case "mask", str(mask):
            choose_mask(mask)
        case "beside", True:
            open_one_wide_head()
        case "sentence", int(place) if place >= 0:
            choose_sequence(place)
        case "head", int(head) if head >= 0:
            st.session_state["head"] = head
