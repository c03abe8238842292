"""The language models that pages can show: the one that comes with the app, and those in folders
that whoever runs the server has allowed. A page names a model by its name, never by a path.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import Any, ParamSpec, TypeVar

from attention_core.errors import FileError

from ..cache import cached, keep_out
from ..files.model_folder import ModelFolder
from .language_model import LanguageModel, language_model
from .model_config import ModelConfig, model_config
from .next_words import pieces_of
from .open_model import open_model

P = ParamSpec("P")
R = TypeVar("R")
STORIES = "stories260K"  # the model that comes with the app
# Folders, separated as the system separates paths.
VARIABLE = "ATTENTION_LAB_MODELS"
LONGEST_NAME = 40


@dataclass(frozen=True)
class AllowedModel:
    """A folder and what its config.json says."""

    folder: str
    config: ModelConfig


def read_allowed(paths: str) -> tuple[dict[str, AllowedModel], tuple[str, ...]]:
    """The models in some folders by the names of these folders, and a sentence for each folder that
    is refused. paths: as the environment variable holds them.
    """
    allowed, refused = dict[str, AllowedModel](), list[str]()
    for path in filter(None, paths.split(os.pathsep)):
        try:
            source = ModelFolder(path)
            allowed[_unused(source.name, allowed)] = AllowedModel(
                path, model_config(source.config())
            )
        except FileError as error:
            refused.append(f"The model in {path} is left out. {error}")
    return allowed, tuple(refused)


def _unused(name: str, taken: Mapping[str, object]) -> str:
    """A name that no other model has."""
    shown = "".join(one for one in name if one.isprintable())[:LONGEST_NAME] or "model"
    names = (shown, *(f"{shown} {number}" for number in range(2, len(taken) + 3)))
    return next(one for one in names if one not in (*taken, STORIES))


ALLOWED, LEFT_OUT = read_allowed(os.environ.get(VARIABLE, ""))
_opening, _running = RLock(), RLock()


def writing_model(name: str = STORIES) -> LanguageModel:
    """A model by its name, opened once per process. Raises: FileError."""
    if name == STORIES:
        return language_model()
    with _opening:
        return _opened(name)


@cache
def _opened(name: str) -> LanguageModel:
    model = open_model(ALLOWED[name].folder)
    keep_out(model.decoder)
    for after_space in (False, True):  # now, not when a visitor waits
        pieces_of(model.tokenizer.pieces).signs(after_space)
    return model


def cached_run(function: Callable[P, R]) -> Callable[P, R]:
    """Keep the results of a function that runs a model. Of those that run a model from a folder one
    computes at a time, so that two do not take the memory of two. Among its arguments is the name
    of the model, or what has it as `model`.
    """
    return cached(function, _alone)


def _alone(*arguments: Any) -> AbstractContextManager[Any]:
    named = (getattr(one, "model", one) for one in arguments)
    is_large = any(isinstance(one, str) and one in ALLOWED for one in named)
    return _running if is_large else nullcontext()
