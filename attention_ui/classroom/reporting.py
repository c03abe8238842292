"""The report of a class on its page, and as files: from its votes, and from codes of the test."""

from functools import partial

import streamlit as st

from attention_lab.classroom.report import (
    MAX_CODES_CHARACTERS,
    report_csv,
    report_of_codes,
    report_of_votes,
)
from attention_viz.teach.class_report import REPORT_STYLE, report_page, report_table

from ..show import explained_errors, offer_file
from .joining import teacher_secret
from .room_service import room_service

CODES_KEYS = {"before": "class_codes_before", "after": "class_codes_after"}


def show_report(room: str) -> None:
    """The report of a room, folded."""
    folded = st.expander("Report of the class", key="class_report", on_change="rerun")
    if not folded.open:
        return
    with folded, explained_errors():
        codes = [
            column.text_area(
                f"Codes of the test {when}",
                key=key,
                max_chars=MAX_CODES_CHARACTERS,
                height=80,
                placeholder="A-1203124312, one on each line",
            )
            for column, (when, key) in zip(st.columns(2), CODES_KEYS.items(), strict=True)
        ]
        lines = report_of_votes(room_service().rooms, room, teacher_secret(room))
        lines += report_of_codes(*codes)
        if not lines:
            st.caption("Nobody has answered yet.")
            return
        st.html(f"<style>{REPORT_STYLE}</style>{report_table(lines)}")
        with st.container(horizontal=True):
            make = partial(report_csv, lines)
            offer_file("Report as CSV", make, f"report-{room}.csv", icon="download")
            made = partial(report_page, room, lines)
            offer_file("Report as a page", made, f"report-{room}.html", icon="print")
