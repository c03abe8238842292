"""The shipped lessons: their goals, and buttons to open, print and change them."""

from __future__ import annotations

from functools import partial

import streamlit as st

from attention_lab.lessons.lesson import Lesson
from attention_lab.lessons.lesson_file import shipped_lessons, write_lesson
from attention_viz.lesson_sheet import lesson_sheet

from ..facts import fact
from .lesson_draft import keep_draft
from .links import show_link, visited_url

# Lessons that fit into a period, by its minutes.
LESSON_PLANS = {
    20: (("multi-head-attention",), ("why-scale",), ("shared-keys",)),
    45: (("by-hand",), ("trained-heads",), ("multi-head-attention", "reshape-transpose")),
    90: (("multi-head-attention", "by-hand", "why-scale"), ("masks", "diagonal", "shared-keys")),
}


def show_plans() -> None:
    """Lessons that fit into 20, 45 and 90 minutes."""
    lessons = shipped_lessons()
    links = {name: f"[{lesson.title}](?lesson={name})" for name, lesson in lessons.items()}
    lines = [
        f"| {minutes} | {' → '.join(links[name] for name in names)} |"
        f" {sum(lessons[name].minutes for name in names)} |"
        for minutes, plans in fact("plans", LESSON_PLANS).items()
        for names in plans
    ]
    st.markdown("\n".join(["| Minutes | Lessons | Together |", "|---|---|---|", *lines]))


def show_lessons() -> None:
    """A box for each lesson."""
    for name, lesson in fact("lessons", shipped_lessons()).items():
        with st.expander(
            f"{lesson.title} · {lesson.minutes} minutes", key=f"lesson {name}", on_change="rerun"
        ) as box:
            if box.open:
                _show(name, lesson)


def _show(name: str, lesson: Lesson) -> None:
    link = f"{visited_url()}?lesson={name}"
    goals = "\n".join(f"- {goal}" for goal in lesson.goals)
    st.markdown(f"Afterwards students can:\n\n{goals}")
    with st.container(horizontal=True):
        st.link_button("Open", f"./{lesson.url(0, name)}", icon=":material/play_arrow:")
        st.download_button(
            "Teacher’s sheet",
            partial(lesson_sheet, lesson, link),
            f"{name}.html",
            "text/html",
            on_click="ignore",
            icon=":material/print:",
            help="Goals, notes, answers and tasks, to print.",
        )
        st.download_button(
            "Lesson file", partial(write_lesson, lesson), f"{name}.json", on_click="ignore"
        )
        st.button("Change it", on_click=keep_draft, args=(lesson,), key=f"change {name}")
    show_link(link, lesson.title)
