"""What the sections of the menu compute on top of the engine, and how data come in and go out.

The names below are loaded when they are asked for, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .export.script import notebook as notebook
    from .export.script import script as script
    from .export.step_code import numpy_lines as numpy_lines
    from .export.step_code import torch_lines as torch_lines
    from .export.trace_files import trace_to_npz as trace_to_npz
    from .files.weight_formats import open_weights as open_weights
    from .heads.head_worth import ablated_output as ablated_output
    from .heads.head_worth import without_heads as without_heads
    from .heads.reruns import rerun as rerun
    from .labs.backward import layer_gradients as layer_gradients
    from .labs.training_runs import repeated_letters as repeated_letters
    from .trained.attention_maps import AttentionMaps as AttentionMaps
    from .trained.head_finder import previous_token as previous_token
    from .trained.head_finder import rank_heads as rank_heads
    from .trained.language_model import language_model as language_model
    from .user_data.layer_search import find_layers as find_layers
    from .user_data.layer_search import read_layer as read_layer
    from .user_data.layer_search import read_options as read_options
    from .words.embeddings import embed as embed
    from .words.text import tokenize as tokenize

_MODULES = {
    "AttentionMaps": "trained.attention_maps",
    "ablated_output": "heads.head_worth",
    "embed": "words.embeddings",
    "find_layers": "user_data.layer_search",
    "language_model": "trained.language_model",
    "layer_gradients": "labs.backward",
    "notebook": "export.script",
    "numpy_lines": "export.step_code",
    "open_weights": "files.weight_formats",
    "previous_token": "trained.head_finder",
    "rank_heads": "trained.head_finder",
    "read_layer": "user_data.layer_search",
    "read_options": "user_data.layer_search",
    "repeated_letters": "labs.training_runs",
    "rerun": "heads.reruns",
    "script": "export.script",
    "tokenize": "words.text",
    "torch_lines": "export.step_code",
    "trace_to_npz": "export.trace_files",
    "without_heads": "heads.head_worth",
}
__all__ = [*_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES])
