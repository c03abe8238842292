"""The tokenizer of a model from a folder, read by the library `tokenizers`, with pieces as people
read them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attention_core.checks import check_text
from attention_core.errors import FileError, TextError

from ..files.file_checks import check_characters, check_length
from .byte_pairs import WORD_START

MAX_CHARACTERS = 1_000_000
_META_SPACE = "\u2581"  # ▁, a space in the pieces of SentencePiece


class FolderTokenizer:
    """A tokenizer.json. pieces: one for each row of the embedding, which may have more rows than
    there are pieces. ends: the pieces that end a text.
    """

    def __init__(self, text: str, n_rows: int, ends: tuple[int, ...]) -> None:
        self._reader = _reader(text)
        self.ends = ends
        named: Mapping[str, int] = self._reader.get_vocab()
        if (largest := max(named.values(), default=-1)) >= n_rows:
            raise FileError(
                f"tokenizer.json has a piece with the number {largest:,}, but the embedding has"
                f" {n_rows:,} rows: take both files from the same model"
            )
        write = _writer(text)
        added = self._reader.get_added_tokens_decoder()
        pieces = [f"<unused {number}>" for number in range(n_rows)]
        for piece, number in named.items():
            pieces[number] = piece if number in added else write(piece)
        self.pieces = tuple(pieces)

    def encode(self, text: str) -> list[int]:
        """The ids of a text, with those that the tokenizer puts around it. Raises: TextError."""
        check_text("text", text)
        check_length(text, MAX_CHARACTERS)
        check_characters(text)
        try:
            return list(self._reader.encode(text).ids)
        except Exception as error:  # such as a word that a vocabulary of words does not hold
            raise TextError(f"text cannot be read by the tokenizer: {str(error)[:200]}") from error

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids, without the pieces that stand for no text."""
        return str(self._reader.decode(list(ids), skip_special_tokens=True))


def _reader(text: str) -> Any:
    try:
        from tokenizers import Tokenizer  # of the extra [models]
    except ImportError as error:
        raise FileError(
            "tokenizer.json needs the library tokenizers, which is not installed:"
            ' pip install ".[models]"'
        ) from error
    try:
        reader = Tokenizer.from_str(text)
    except Exception as error:  # the library raises no kind of its own
        raise FileError(f"tokenizer.json cannot be read: {str(error)[:200]}") from error
    reader.no_truncation()
    reader.no_padding()
    return reader


def _writer(text: str) -> Any:
    """How a piece in the file becomes what people read."""
    kinds = json.dumps([json.loads(text).get(part) for part in ("pre_tokenizer", "decoder")])
    if '"ByteLevel"' in kinds:
        return _from_bytes
    if '"Metaspace"' in kinds or json.dumps(_META_SPACE) in kinds:
        return lambda piece: piece.replace(_META_SPACE, WORD_START)
    if json.loads(text)["model"].get("type") == "WordLevel":
        return lambda piece: WORD_START + piece if piece[:1].isalnum() else piece
    return str


def _characters_of_bytes() -> dict[str, int]:
    """The character that stands for each byte in the pieces of GPT-2: itself where it can be
    printed, else one from 256 on. Source: Radford et al. 2019, bytes_to_unicode of their code.
    """
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    shown = {chr(byte): byte for byte in printed}
    return shown | {chr(256 + place): byte for place, byte in enumerate(others)}


_BYTES = _characters_of_bytes()


def _from_bytes(piece: str) -> str:
    """A piece of bytes as text; a byte that is no character alone is written as <0xE6>."""
    if any(one not in _BYTES for one in piece):
        return piece
    data = bytes(_BYTES[one] for one in piece)
    if len(data) == 1 and data[0] > 127:
        return f"<0x{data[0]:02X}>"
    return data.decode("utf-8", errors="replace")
