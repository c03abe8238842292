"""The link by which a class joins: the URL of this server, and a QR code of the link."""

from __future__ import annotations

import base64
import re
import socket
from urllib.parse import urlsplit

import streamlit as st

from attention_core.errors import SettingsError
from attention_viz.qr_code import qr_code

from ..browser_files import base_path

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "")
SVG_NAMESPACE = "http://www.w3.org/2000/svg"
MAX_URL_LENGTH = 200
# A name or a number, perhaps a port, perhaps a folder.
SERVER_URL = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(/[\w.~/-]*)?", re.ASCII)
# An address for documentation (RFC 5737). No packet is sent: the system only chooses the network
# interface.
DOCUMENTATION_ADDRESS = ("198.51.100.1", 9)


def network_address() -> str:
    """The IP address of this machine in its network; localhost without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(DOCUMENTATION_ADDRESS)
            return str(probe.getsockname()[0])
        except OSError:
            return "localhost"


def default_server_url() -> str:
    """The URL of the app for students: the one of the teacher's browser, with this machine's IP
    address in the place of localhost.
    """
    parts = urlsplit(st.context.url or "")
    if (parts.hostname or "") not in LOCAL_HOSTS:
        return f"{parts.scheme}://{parts.netloc}{base_path()}"
    port = parts.port or st.get_option("server.port")
    return f"{parts.scheme or 'http'}://{network_address()}:{port}{base_path()}"


def checked_server_url(text: str) -> str:
    """The URL of a server that a teacher typed. Raises: SettingsError for anything else."""
    base = text.strip().rstrip("/")
    base = base if "://" in base else f"http://{base}"
    try:
        is_fine = bool(SERVER_URL.fullmatch(base)) and urlsplit(base).port != 0
    except ValueError:  # a port beyond 65535, or brackets without an IP address
        is_fine = False
    if not is_fine or len(base) > MAX_URL_LENGTH:
        raise SettingsError(
            f"“{text[:60]}” is not the URL of a server; write one such as http://192.168.1.20:8501,"
            f" with at most {MAX_URL_LENGTH} characters"
        )
    return base


def student_link(base: str, room: str) -> str:
    """The link for students; it holds no secret.

    >>> student_link("http://192.168.1.20:8501", "KXRT")
    'http://192.168.1.20:8501/class?room=KXRT'
    """
    return f"{base}/class?room={room}"


def qr_code_url(link: str) -> str:
    """A link as a QR code: an SVG image in a data URL, since Streamlit removes SVG from HTML.

    >>> qr_code_url("http://192.168.1.20:8501/class?room=KXRT")[:26]
    'data:image/svg+xml;base64,'
    """
    picture = qr_code(link, "The link to the room").replace(
        "<svg", f'<svg xmlns="{SVG_NAMESPACE}"', 1
    )
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"
