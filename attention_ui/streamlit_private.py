"""All private names of Streamlit 1.67 that this app uses, in one place.

Streamlit is pinned in requirements.txt. When you update it, read this module first: beside each
name stands what it is for, and which test fails when it changes. No other module imports such a
name: ruff refuses it (`banned-api` in pyproject.toml). Two options in `.streamlit/config.toml` are
undocumented; `tests/test_configuration.py` fails when Streamlit removes them.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, NoReturn, cast

from streamlit import net_util, runtime
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

# The type that `st.expander` returns, for annotations; mypy fails when it changes.
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer as ExpanderContainer
from streamlit.navigation.page import Page
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec


def as_part_of(page: Any) -> AbstractContextManager[None]:
    """A context in which the frame draws an element of a page, which `page.run()` would else draw:
    Streamlit gives elements of the page and of the frame different names, and the browser would
    take it for another one.

    `tests/ui/test_first_acts.py` fails when these names change.
    """
    context: Any = get_script_run_ctx()
    return cast("AbstractContextManager[None]", context.run_with_active_hash(page._script_hash))


@contextmanager
def sent_together(seconds: float) -> Iterator[None]:
    """Send the messages of a run to the browser all at once, or after some seconds of a long run.
    One by one each of them wakes the server's loop, which then waits for the script, and the script
    for it: a twelfth of the processor time of an act.

    Every test of `tests/browser` fails when these names change.
    """
    context: Any = get_script_run_ctx()
    send, since = context._enqueue, time.monotonic()
    runner, waiting = send.__self__, list[Any]()
    hearers = (getattr(one, "__self__", None) for one in runner.on_event._get_live_receivers())
    visit: Any = next((one for one in hearers if isinstance(one, AppSession)), None)

    def send_all() -> None:
        messages = tuple(waiting)
        waiting.clear()
        if visit is None:  # under AppTest
            for message in messages:
                send(message)
        elif messages:
            visit._call_soon_on_event_loop(lambda: enqueue(messages))

    def enqueue(messages: Iterable[Any]) -> None:
        if visit._scriptrunner is runner:
            for message in messages:
                visit._enqueue_forward_msg(message)

    def wait(message: Any) -> None:
        waiting.append(message)
        if time.monotonic() - since > seconds:
            send_all()

    context._enqueue = wait
    try:
        yield
    finally:
        context._enqueue = send
        send_all()


def register_components(app: str, names: Iterable[str], root: Path) -> int:
    """Register the folders `assets/<name>` below `root` as components. Gives a number that
    identifies the server.

    Streamlit itself looks for components in installed packages only, and this app is run from its
    folder. Every test that opens a page with a board or a chart fails when these names change, such
    as `tests/ui/test_chart_tables.py`.
    """
    manager = get_bidi_component_manager()
    folders = [ComponentConfig(name, f"assets/{name}") for name in names]
    if manager.get_component_asset_root(f"{app}.{folders[0].name}") is None:
        manager.register_from_manifest(ComponentManifest(app, "1", folders), root)
    return id(manager)


def remember_what_never_changes() -> None:
    """Keep what Streamlit makes anew in every run though it is always the same: the colours of the
    configuration in its first message, and the hash of each page of the menu. Its fields also copy
    the whole session to see whether their own entry is None; they get a view of it.

    `tests/ui/test_server.py` fails when these names change.
    """
    page: Any = Page
    visit: Any = app_session
    state: Any = SafeSessionState
    if isinstance(vars(page)["_script_hash"], cached_property):
        return
    make_theme, themes = visit._populate_theme_msg, dict[str, Any]()

    @wraps(make_theme)
    def add_theme(message: Any, section: str = "theme") -> None:
        if section not in themes:
            themes[section] = type(message)()
            make_theme(themes[section], section)
        message.MergeFrom(themes[section])

    hash_of_page = cached_property(vars(page)["_script_hash"].fget)
    hash_of_page.__set_name__(page, "_script_hash")
    page._script_hash, visit._populate_theme_msg = hash_of_page, add_theme
    state.filtered_state = property(_SessionView)


class _SessionView(Mapping[str, Any]):
    """The entries of a session by the names of the app."""

    def __init__(self, state: Any) -> None:
        self._state = state

    def __getitem__(self, name: str) -> Any:
        with self._state._lock:
            return self._state._state[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def __len__(self) -> int:
        return len(self.copy())

    def copy(self) -> dict[str, Any]:
        """All entries as they are now."""
        with self._state._lock:
            return dict(self._state._state.filtered_state)


def session_values() -> dict[str, Any]:
    """All entries of the session as they are now. Read one by one they take longer, most of all
    those that are not there.

    Every test that opens a page fails when these names change.
    """
    context: Any = get_script_run_ctx()
    return _SessionView(context.session_state).copy()


def ask_nobody_for_the_address() -> None:
    """Let Streamlit do without the address of this machine in the internet. Otherwise it asks a
    public service for it when a page of another site opens a WebSocket, before it refuses it.

    `tests/browser/test_fresh_server.py` fails when the name changes.
    """
    net_util.get_external_ip = lambda: None


def kept_files() -> dict[str, list[UploadedFileRec]]:
    """The files of all visitors, as Streamlit keeps them, by the name of a visit.

    `tests/ui/test_upload_limits.py` fails when these names change.
    """
    manager: Any = runtime.get_instance().uploaded_file_mgr
    # Copies, because a visitor who leaves removes entries meanwhile.
    of_visits = list(manager.file_storage.items())
    return {visit: list(files.values()) for visit, files in of_visits if files}


def is_here(visit: str) -> bool:
    """Whether the browser of a visit is connected."""
    return runtime.get_instance().is_active_session(visit)


def drop_files_of(visit: str) -> None:
    """Drop all files of a visit."""
    runtime.get_instance().uploaded_file_mgr.remove_session_files(visit)


def end_visits_that_are_over() -> None:
    """End the visits that Streamlit has kept for two minutes after a visitor has left, with their
    files. By itself it ends them when the next visitor comes or leaves.

    `tests/ui/test_upload_limits.py` fails when these names change.
    """
    manager: Any = runtime.get_instance()._session_mgr
    with manager._storage_lock:
        over = manager._session_storage._cache.expire()
    for _, visit in over:
        visit.session.shutdown()


def n_visits() -> int:
    """The visits that Streamlit holds, also of visitors who have just left.

    `tests/ui/test_upload_limits.py` fails when these names change.
    """
    manager: Any = runtime.get_instance()._session_mgr
    return len(manager.list_sessions())


def asked_of_widget(name: str) -> list[str]:
    """The texts of a parameter from which a bound widget that is drawn now takes its value.
    Streamlit keeps them also where `st.query_params` has lost them, as in a visit that runs.

    `tests/browser/test_running_visit.py` fails when these names change.
    """
    context: Any = get_script_run_ctx()
    with context.session_state.query_params() as parameters:
        return list(parameters._initial_query_params.get(name, ()))


def open_as_a_link(page: Any, choices: Mapping[str, Sequence[str]], is_running: bool) -> NoReturn:
    """Run the script anew on a page with these parameters. `st.switch_page` refuses parameters of
    widgets that the visit has drawn, and its widgets would keep their values.

    is_running: whether the visit has drawn a page, whose values the URL replaces.
    `tests/browser/test_running_visit.py` fails when these names change.
    """
    context: Any = get_script_run_ctx()
    with context.session_state.query_params() as parameters:
        # The end of this run would take the parameters of widgets that it has not drawn away.
        parameters._bindings_by_param.clear()
        parameters._bindings_by_widget.clear()
        parameters.clear_with_no_forward_msg(preserve_embed=True)
        for name, texts in choices.items():
            parameters.set_with_no_forward_msg(name, list(texts))
        parameters._send_query_param_msg()
    raise RerunException(
        RerunData(
            query_string=context.query_string,
            page_script_hash=page._script_hash,
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
            is_history_navigation=is_running,
        )
    )


def forget_parameter(name: str, instead: str = "") -> None:
    """Remove a parameter from the URL before its widget is drawn, as if nobody had asked for it.
    `st.query_params` refuses this for a widget that was drawn before. instead: a text to put in its
    place; of a widget that was drawn before, Streamlit writes the value itself.

    `tests/ui/test_hostile_urls.py` fails when these names change.
    """
    context: Any = get_script_run_ctx()
    with context.session_state.query_params() as parameters:
        parameters.remove_param(name)
        parameters._initial_query_params.pop(name, None)
        if instead and not parameters.is_bound(name):
            parameters[name] = instead
