"""The language model that comes with the app: stories260K, 260,032 numbers that write stories.

Its files are in assets/stories260k, with its licence (MIT) and origin; scripts/make_stories260k.py
makes them. Width 64, 5 layers, 8 query heads of 8 features on 4 key/value heads, 512 pieces.
"""

import hashlib
import json
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from attention_core.checks import Array, as_list, check_choice, seed_number, whole_number
from attention_core.errors import FileError, SettingsError
from attention_core.positions import Rotary
from attention_core.projections import MATRICES, Projections
from attention_core.trace import Trace

from ..home import ASSETS
from ..layer_norm import Norm
from ..words.pieces import word_slices
from .byte_pairs import BytePairs
from .decoder import Decoder, DecoderLayer, OffPart
from .feed_forward import FeedForward
from .generation import KeyValueCache, draw, next_probabilities
from .model_run import LanguageModelRun, checked_part, fillings, run_of
from .own_writing import mean_parts, own_writing

MODEL_FOLDER = ASSETS / "stories260k"
LONGEST = 512  # tokens
N_LAYERS, N_HEADS, N_KV_HEADS, D_MODEL = 5, 8, 4, 64
HEAD_WIDTH = D_MODEL // N_HEADS
FILES = ("config.json", "tokens.json", "weights.npz")
_READ_ERRORS = (OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile)
ZERO, MEAN = "zero", "mean"
REPLACED_BY = (ZERO, MEAN)  # what a head that is switched off adds


# What the traces of a run may take, in bytes.
MOST_TRACE_BYTES = 4 * 2**30
SCORE_ARRAYS = 4  # of a trace: scores, scaled, masked, probabilities


class Tokenizer(Protocol):
    """What a language model needs of its tokenizer. ends: the pieces that end a text."""

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces by their ids; the first of a word begins with a space."""

    @property
    def ends(self) -> tuple[int, ...]:
        """The pieces behind which a text does not go on."""

    def encode(self, text: str) -> list[int]:
        """The ids of a text. Raises: TextError."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids."""


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A decoder with its tokenizer.

    longest: how many tokens a text may have. average_over: gives the texts over which the mean of
    `head_means` is taken, (N, T) ids; that of a model from a folder refuses, unless it was opened
    with a text.
    """

    tokenizer: Tokenizer
    decoder: Decoder
    longest: int = LONGEST
    average_over: Callable[[Decoder], Array] = own_writing

    @property
    def n_layers(self) -> int:
        """The number of layers."""
        return len(self.decoder.layers)

    @property
    def n_heads(self) -> int:
        """The number of query heads of a layer."""
        return self.decoder.layers[0].attention.n_heads

    def encode(self, text: str) -> list[int]:
        """The ids of a text: the start, then its pieces. Raises: TextError.

        >>> language_model().encode("One day, a frog")
        [1, 385, 328, 432, 261, 272, 420, 414, 428]
        """
        return self.tokenizer.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; that of `encode(text)` is text. Raises: SettingsError."""
        return self.tokenizer.decode(self._whole(ids))

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The piece of each id; the first of a word begins with a space. Raises: SettingsError."""
        return [self.tokenizer.pieces[one] for one in self._whole(ids)]

    def words(self, ids: Sequence[int]) -> list[slice]:
        """The pieces of each word, as slices of ids; a mark and the start stand alone. Raises:
        SettingsError.

        >>> model = language_model()
        >>> ids = model.encode("a frog.")
        >>> [model.decode(ids[one]) for one in model.words(ids)]
        ['', ' a', ' frog', '.']
        """
        return word_slices(self.pieces(ids))

    def run(
        self, ids: Sequence[int], without: Sequence[OffPart] = (), replaced_by: str = ZERO
    ) -> LanguageModelRun:
        """All layers on a text of at least one id, and of at most `longest`, in the type of the
        weights: stories260K has float64.

        without: layer and head of heads that are switched off, and ("feed-forward", layer) of parts
        that then add nothing; all that follows is computed again. replaced_by: what such a head
        adds to every token: "zero", or "mean" for what it adds on average over a text
        (`head_means`). Raises: SettingsError.
        """
        checked = self._checked(ids)
        self._check_room(len(checked))
        means = self._means(replaced_by)
        decoder = self._decoder(without, means)
        return run_of(decoder, checked, self.tokenizer.pieces, means)

    def rerun(
        self,
        run: LanguageModelRun,
        without: Sequence[OffPart] = (),
        replaced: tuple[int, Trace] | None = None,
    ) -> LanguageModelRun:
        """A run again, with parts set to 0 or with another trace for the attention of a layer; the
        layers before the change are not computed again. Raises: SettingsError.
        """
        decoder = self._decoder(without, None)
        vocabulary = self.tokenizer.pieces
        return run_of(decoder, run.ids, vocabulary, replaced=replaced, before=run)

    @cached_property
    def head_means(self) -> Array:
        """What each head adds to a token on average over texts, for stories260K over what it has
        written itself: 960 tokens, 20 beginnings of 48. Computed when it is first asked for.
        Shapes: (L, H, D). Raises: SettingsError for a model without such texts.
        """
        return mean_parts(self.decoder, self.average_over(self.decoder))

    def _means(self, replaced_by: str) -> Array | None:
        """What stands for heads that are switched off; None for zeros. Raises: SettingsError."""
        return (
            None
            if check_choice("replaced_by", replaced_by, REPLACED_BY) == ZERO
            else self.head_means
        )

    def _decoder(self, without: Any, means: Array | None) -> Decoder:
        """The decoder without some parts. Raises: SettingsError."""
        parts = [checked_part("without", one, self.decoder) for one in as_list("without", without)]
        return self.decoder.without(fillings(self.decoder, means, parts))

    def generate(
        self,
        ids: Sequence[int],
        n_tokens: int,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int = 0,
        without: Sequence[OffPart] = (),
        replaced_by: str = ZERO,
    ) -> Iterator[int]:
        """New ids, one after another, each computed with the cache: at most n_tokens, and none from
        the one on that begins another story.

        temperature: 0 takes the most probable piece. The same seed gives the same text, also if it
        is continued from one of its pieces. without, replaced_by: as `run` takes them. Raises:
        SettingsError.

        >>> model = language_model()
        >>> model.decode(list(model.generate(model.encode("Once upon a time, there was a"), 4)))
        ' little girl'
        """
        given = self._checked(ids)
        count = whole_number("n_tokens", n_tokens, 0, self.longest - len(given))
        seed_number(seed)
        next_probabilities(np.zeros(2), temperature, top_p)
        decoder = self._decoder(without, self._means(replaced_by))
        return self._generate(decoder, given, count, temperature, top_p, seed)

    def _generate(
        self,
        decoder: Decoder,
        given: tuple[int, ...],
        count: int,
        temperature: float,
        top_p: float,
        seed: int,
    ) -> Iterator[int]:
        cache, new = KeyValueCache(decoder, len(given) + count), given
        for position in range(len(given), len(given) + count):
            shares_X = next_probabilities(cache.extend(new).logits[-1], temperature, top_p)
            one = draw(shares_X, seed, position)
            if one in self.tokenizer.ends:
                return
            new = (one,)
            yield one

    def _check_room(self, n_tokens: int) -> None:
        """Raises: SettingsError where the traces would need too much memory."""
        shape = (self.n_layers, self.n_heads, n_tokens, n_tokens)
        size = SCORE_ARRAYS * math.prod(shape) * self.decoder.embedding.itemsize
        if size > MOST_TRACE_BYTES:
            raise SettingsError(
                f"ids holds {n_tokens:,} tokens, whose scores in all {self.n_layers} layers need"
                f" {size:,} bytes, but a run may take {MOST_TRACE_BYTES:,}: give a shorter text"
            )

    def _whole(self, ids: Any) -> tuple[int, ...]:
        """Ids as a tuple. Raises: SettingsError."""
        last = len(self.decoder.embedding) - 1
        return tuple(whole_number("ids", one, 0, last) for one in as_list("ids", ids))

    def _checked(self, ids: Any) -> tuple[int, ...]:
        """The ids of a text that can run. Raises: SettingsError."""
        whole = self._whole(ids)
        if not whole:
            raise SettingsError("ids is empty but must hold at least one piece: encode a text")
        if len(whole) > self.longest:
            raise SettingsError(
                f"ids holds {len(whole)} tokens, but this model was trained for at most"
                f" {self.longest:,}: give a shorter text"
            )
        return whole


@lru_cache(maxsize=1)
def language_model(folder: Path = MODEL_FOLDER) -> LanguageModel:
    """The language model, loaded once per process. Raises: FileError for files that are damaged or
    not there.
    """
    try:
        sums = json.loads((folder / "checksums.json").read_bytes())
        for name in FILES:
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != sums[name]:
                raise ValueError(name)
        config = json.loads((folder / "config.json").read_bytes())
        tokens = json.loads((folder / "tokens.json").read_bytes())
        with np.load(folder / "weights.npz", allow_pickle=False) as file:
            arrays = {name: file[name].astype(np.float64) for name in file.files}
        tokenizer = BytePairs(tuple(tokens["pieces"]), tuple(tokens["scores"]))
        return LanguageModel(tokenizer, assemble(arrays, config))
    except _READ_ERRORS as error:
        raise FileError(
            f"The language model in {folder.name} is damaged or not complete; take the folder from"
            " the repository again, or make it with scripts/make_stories260k.py"
        ) from error


def assemble(arrays: Mapping[str, Array], config: Mapping[str, Any]) -> Decoder:
    """The decoder from arrays with stacked layers."""
    for array in arrays.values():
        array.setflags(write=False)
    heads = {"n_heads": config["heads"], "n_kv_heads": config["kv_heads"]}

    def norm(gain_D: Array) -> Norm:
        return Norm(gain_D, None, config["norm_epsilon"])

    layers = tuple(
        DecoderLayer(
            norm(arrays["attention_gain"][n]),
            Projections(*(arrays[name][n] for name in MATRICES), **heads),
            norm(arrays["feed_forward_gain"][n]),
            FeedForward(arrays["w_1"][n], None, arrays["w_2"][n], None, arrays["w_3"][n], "silu"),
        )
        for n in range(config["layers"])
    )
    last_norm = norm(arrays["last_gain"])
    return Decoder(arrays["embedding"], layers, last_norm, Rotary(config["rotary_base"]))
