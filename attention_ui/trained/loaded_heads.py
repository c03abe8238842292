"""The memory that the heads which visitors have loaded from files may take together.

A file of zeros has a thousandth of its size when it is packed, so the bounds of uploads say nothing
of what lies in a session after it was read.
"""

from collections.abc import Callable
from threading import Lock
from weakref import ref

import streamlit as st

from attention_core.errors import FileError
from attention_lab.cache import n_bytes
from attention_lab.classroom.limits import network_of
from attention_lab.whose_heads import OwnHeads

MAX_LOADED_BYTES = 2**30  # four of the largest layers
MAX_LOADED_OF_NETWORK = MAX_LOADED_BYTES * 3 // 4

_loaded: list[tuple[ref[OwnHeads], str]] = []  # with the network of the visitor
_reading = Lock()


def load_heads(read: Callable[[], OwnHeads], instead_of: OwnHeads | None = None) -> OwnHeads:
    """Read heads, if those of all visitors fit beside one another. instead_of: what the session
    drops for them.

    Raises: FileError.
    """
    with _reading:  # one file after the other, since only then its size is known
        network = network_of(st.context.ip_address)
        new = read()
        kept = [(one, whose) for held, whose in _loaded if (one := held()) is not None]
        sizes = [(n_bytes(one), whose) for one, whose in kept if one is not instead_of]
        sizes += [(n_bytes(new), network)]
        of_network = sum(size for size, whose in sizes if whose == network)
        if sum(size for size, _ in sizes) > MAX_LOADED_BYTES or of_network > MAX_LOADED_OF_NETWORK:
            raise FileError(
                f"The heads that all visitors have loaded may take {MAX_LOADED_BYTES:,} bytes of"
                f" this server, those of one network {MAX_LOADED_OF_NETWORK:,}, and yours did not"
                " fit: load fewer layers, or try again in some minutes"
            )
        _loaded[:] = [(ref(one), whose) for one, whose in (*kept, (new, network))]
        return new
