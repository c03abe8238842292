"""The sentence of a batch that is shown: the story has the whole batch, other pages have one."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from attention_core import AttentionError
from attention_lab.choices import without_modern
from attention_lab.page_list import Page
from attention_lab.presets import SENTENCE_KEY
from attention_lab.scenario import Scenario
from attention_lab.sentences import MAX_SENTENCES, alone, batch_notes, sentences_of

from .url_state import restore_place, write_to_url


def page_scenario(scenario: Scenario, page: Page) -> tuple[Scenario, int]:
    """The scenario that a page is run on, and the sequence that is shown, kept in session and URL.
    The story has the whole batch, other pages have the chosen sentence alone.
    """
    restore_place(SENTENCE_KEY, "Sentence", 0, _count(scenario))
    write_to_url(SENTENCE_KEY, 0)
    sequence = int(st.session_state[SENTENCE_KEY])
    if not page.runs_modern:
        scenario = without_modern(scenario)
    if not scenario.batch or page.section == "story":
        return scenario, sequence
    with suppress(AttentionError):
        return alone(scenario, sequence), 0
    return replace(scenario, batch=""), 0


def modern_notes(scenario: Scenario, page: Page) -> tuple[str, ...]:
    """A note that a page leaves out options of modern attention that are on."""
    if page.runs_modern or without_modern(scenario) == scenario:
        return ()
    return (
        "Rotary positions, QK-norm, ALiBi, soft cap and sink are left out here. The story and What"
        " changes? have them.",
    )


def _count(scenario: Scenario) -> int:
    """The number of sentences; the largest possible number if the scenario makes no layer, which
    the page explains.
    """
    with suppress(AttentionError):
        return len(sentences_of(scenario))
    return MAX_SENTENCES


def batch_page_notes(scenario: Scenario, page: Page) -> tuple[str, ...]:
    """Notes that sentences are left out of the batch, or that a page shows one of them alone."""
    if not scenario.batch:
        return ()
    count = _count(scenario)
    if page.section != "story" and count > 1:
        return (
            f"The story has a batch of {count} sentences; this page looks at sentence"
            f" {st.session_state[SENTENCE_KEY]} alone.",
        )
    with suppress(AttentionError):
        return batch_notes(scenario)
    return ()
