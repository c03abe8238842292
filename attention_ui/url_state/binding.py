"""The URL on its way in and out: widgets bound to it, choices that we bind, what it asks for in
vain, and going to another page from a callback.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import streamlit as st

from attention_lab.page_list import OLD_URLS, Page, page_now
from attention_lab.url_choices import PARAMETERS, Parameter, in_url, in_words, read_values
from attention_lab.url_values import parse_number, parse_option, parse_switch
from attention_viz.markdown import escape_markdown

from ..streamlit_private import asked_of_widget, forget_parameter, open_as_a_link
from .session import begin_run, session

PARAMETER_NAME = re.compile(r"[a-z]\w*", re.ASCII)
# The option of widgets that keep their value while another page is shown.
PERSISTENCE: dict[str, Any] = {"persist_state": "session"}
NUMBER_WIDGETS = ("number_input", "slider")
UNSET_PARAMETER = "unset"  # history.js writes here the names of choices that a step back removes


def refuse(sentences: Iterable[str]) -> None:
    """Queue messages for the end of the run: the URL asks for values that do not exist."""
    session().refused += map(escape_markdown, sentences)


def open_page(page: str) -> None:
    """Note the page that is shown. A link of the book carries the choices of the page before; its
    own stay in the session alone.
    """
    now = session()
    if now.url_path != page:
        now.url_path = page
        for name in now.written.keys() - now.restored - PARAMETERS.keys():
            st.query_params.pop(name, None)


def show_refusals() -> None:
    """At the end of a run: show the refusals. In a run that starts anew half-way a message would be
    lost.
    """
    now = session()
    for sentence in now.refused:
        # A broken link causes several: four seconds are too short to read them.
        st.toast(sentence, duration="long")
    now.refused = []


def note_act() -> None:
    """In a callback: note an act of the visitor. The URL that comes with a quick one is from before
    the last answer, so the next run takes from it nothing that this app wrote there earlier.
    """
    session().has_acted = True


def read_url() -> None:
    """At the start of a run: note what the URL asks for.

    Parameters that cannot belong to a widget are ignored: some are ours, and some would make
    Streamlit fail.
    """
    taken_back = st.query_params.pop(UNSET_PARAMETER, "").split(".")
    asked = {
        name: st.query_params.get_all(name)
        for name in st.query_params
        if PARAMETER_NAME.fullmatch(name)
    }
    now = begin_run()
    now.asked, now.taken_back, now.restored = asked, taken_back, set()
    now.is_answer, now.has_acted = now.has_acted, False


def draw_bound(draw: Callable[..., Any], label: str, *given: Any, key: str, **about: Any) -> Any:
    """Draw a widget, such as `st.slider`, that Streamlit binds to the URL; gives its value. What
    the URL asks for is read as it is everywhere: Streamlit takes nothing else from it.
    """
    texts, one = asked_of_widget(key), PARAMETERS.get(key) or _reader(draw, label, given)
    if not texts:
        return draw(label, *given, key=key, bind="query-params", **about)
    values, refused = read_values({key: one}, {key: texts})
    read, written = values[key], in_url(key, values[key])
    is_other = draw.__name__ not in NUMBER_WIDGETS and written != texts[-1]
    if refused or is_other:
        forget_parameter(key, written if read != one.default else "")
        session().asked.pop(key, None)
        if not refused:  # another spelling, such as CAUSAL, which Streamlit does not know
            st.session_state[key] = in_words(key, read)
    value = draw(label, *given, key=key, bind="query-params", **about)
    refuse(read_values({key: replace(one, default=value)}, {key: texts})[1])
    return value


def _reader(draw: Callable[..., Any], label: str, given: Sequence[Any]) -> Parameter:
    """How a URL is read for a widget that is no choice of the story."""
    read: Callable[[str], Any] = str
    if draw.__name__ in NUMBER_WIDGETS:
        low, high = given[:2]
        read = partial(parse_number, low=low, high=high, whole=isinstance(low, int))
    elif draw.__name__ == "toggle":
        read = parse_switch
    elif given and isinstance(given[0], tuple):
        read = partial(parse_option, options=given[0])
    return Parameter(label, "", read)


def restore(name: str, label: str, default: Any, read: Callable[[str], Any]) -> str | None:
    """Take a choice from the URL if the URL asks for a new one; gives the text in the URL.

    label: the name of the choice on the page. read: turns the text into the choice, or raises an
    AttentionError; then the choice stays, and the page says why.
    """
    now = session()
    now.restored.add(name)
    if name in now.taken_back and now.written.get(name) is not None:
        st.session_state[name] = default
    known, text = st.session_state.setdefault(name, default), requested(name)
    if text is None:
        return None
    asked = {name: st.query_params.get_all(name)}
    values, refused = read_values({name: Parameter(label, None, read)}, asked)
    st.session_state[name] = known if values[name] is None else values[name]
    refuse(refused)
    return text


def requested(name: str) -> str | None:
    """The text of a parameter; None if the URL lacks it, or holds what `write_to_url` wrote now or
    before the last act.
    """
    now = session()
    if name not in now.asked:  # Streamlit takes long to say so
        return None
    text = st.query_params.get(name)
    is_late = now.is_answer and text in now.earlier.get(name, ())
    return None if is_late or text == now.written.get(name) else text


def write_to_url(name: str, default: Any) -> None:
    """Write a choice into the URL; the default is left out."""
    now, text = session(), str(st.session_state[name])
    is_written_by_script, before = now.opening.get(name) == text, now.written.get(name)
    now.written[name] = None if text == str(default) else text
    if before not in (None, now.written[name]):
        now.earlier.setdefault(name, set()).add(before)
    if is_written_by_script:
        return
    if now.written[name] is None:
        if before is not None or name in now.asked:
            st.query_params.pop(name, None)
    elif st.query_params.get_all(name) != [text]:
        st.query_params[name] = text


def request_page(path: str, **places: object) -> None:
    """In a callback: ask for a page. places: the parameters of its URL that no bound widget has.

    Streamlit writes the parameters of bound widgets itself and refuses them here. At least one
    parameter is needed: without any, Streamlit would clear the URL, which it refuses as well.
    """
    session().requested_page = (path, {name: str(place) for name, place in places.items()})


def open_requested_page(bound: Iterable[str]) -> None:
    """Open the page that a callback asked for.

    bound: the names of bound widgets. The values that the callback set are set again on the new
    page: Streamlit sends them to the browser in the next run, and that run ends here.
    """
    now = session()
    if now.requested_page:
        path, places = now.requested_page
        now.requested_page, now.arrived = None, True
        st.switch_page(path, query_params=places)
    if now.arrived:
        now.arrived = False
        st.session_state.update(
            {name: st.session_state[name] for name in bound if name in st.session_state}
        )


def leave_old_url(url_path: str) -> None:
    """At a URL of an earlier version, open the present URL of the page with the same choices."""
    if url_path in OLD_URLS:
        open_now(*page_now(url_path, session().asked))


def open_now(page: Page, choices: Mapping[str, Sequence[str]]) -> NoReturn:
    """Before anything is drawn: open a page with the choices of a URL, as a link does."""
    now = session()
    (there,) = (one for one in now.pages or () if one.url_path == page.url_path)
    open_as_a_link(there, choices, is_running=now.has_scripts)
