"""A language model from a folder, with all that `language_model()` has."""

from os import PathLike

import numpy as np

from attention_core.checks import Array, check_text
from attention_core.errors import SettingsError

from ..files.model_folder import ModelFolder
from .decoder import Decoder
from .folder_tokenizer import FolderTokenizer
from .language_model import LanguageModel
from .model_config import model_config
from .model_weights import check_weights, decoder_of


def open_model(folder: str | PathLike[str], *, mean_text: str | None = None) -> LanguageModel:
    """The model in a folder as Hugging Face saves it: config.json, tokenizer.json, and
    model.safetensors or its parts with their index.

    GPT-2, and Llama, Mistral, Qwen2, Qwen3 and what has one of these types, such as SmolLM and
    TinyLlama. It computes in float32; weights of float32 stay in the file, which must not change
    meanwhile, others become float32. mean_text: over its tokens the mean is taken that a head adds
    when it is switched off with replaced_by="mean". Nothing in the folder is run. Raises: FileError
    for what is not supported, missing, damaged or too large, before anything large is read;
    TextError, SettingsError for mean_text.
    """
    source = ModelFolder(folder)
    config = model_config(source.config())
    weights = source.weights()
    names = check_weights(config, weights)
    tokenizer = FolderTokenizer(source.tokenizer(), config.n_pieces, config.ends)
    ids: list[int] = []
    if mean_text is not None:
        check_text("mean_text", mean_text)
        ids = tokenizer.encode(mean_text)
        if not 0 < len(ids) <= config.longest:
            raise SettingsError(
                f"mean_text has {len(ids):,} tokens, but must have from 1 to {config.longest:,}"
            )

    def texts(_: Decoder) -> Array:
        if not ids:
            raise SettingsError(
                'replaced_by is "mean", but this model has no text to take a mean over: give one,'
                " open_model(folder, mean_text=...)"
            )
        return np.array([ids])

    return LanguageModel(tokenizer, decoder_of(config, weights, names), config.longest, texts)
