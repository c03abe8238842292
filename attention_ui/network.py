"""Who can reach the server: this machine alone, or everybody in its network, as a class needs it.

`.streamlit/config.toml` says "localhost"; the option `--server.address 0.0.0.0` opens it.
"""

import socket

import streamlit as st

from .browser_files import base_path

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::", "", None)  # what a server listens on that is open to its network
OPENING_COMMAND = "streamlit run app.py --server.address 0.0.0.0"
# An address for documentation (RFC 5737). No packet is sent: the system only chooses the network
# interface.
DOCUMENTATION_ADDRESS = ("198.51.100.1", 9)


def is_open() -> bool:
    """Whether other machines can reach this server."""
    return st.get_option("server.address") not in LOCAL_HOSTS


def local_url() -> str:
    """The URL of the app on this machine."""
    return url_at(st.get_option("browser.serverAddress") or "localhost")


def network_address() -> str:
    """The IP address of this machine in its network; localhost without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(DOCUMENTATION_ADDRESS)
            return str(probe.getsockname()[0])
        except OSError:
            return "localhost"


def url_at(host: str) -> str:
    """The URL of the app at a name or an address of this machine."""
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    return f"{scheme}://{host}:{st.get_option('server.port')}{base_path()}"


def network_url() -> str:
    """The URL of the app for other machines in the network."""
    address = st.get_option("server.address")
    if address in EVERY_ADDRESS:
        address = network_address()
    return url_at(address)


def opening_notice() -> str:
    """What the terminal says when the server is open: the link to give out, and what a stranger in
    the network can see; nothing if it is not open.
    """
    if not is_open():
        return ""
    return (
        f"\n  Link for the class: {network_url()}\n"
        "  Everybody in this network can open it. They get the app with choices of their own and\n"
        "  do not see your sentence, files or edits. A vote needs the letters of its room. What\n"
        "  is sent is not encrypted. Ctrl-C ends it.\n\n"
    )
