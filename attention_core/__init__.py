"""The engine: multi-head attention in NumPy that returns everything that happened inside it."""

from .attention import attend, scaled_dot_product_attention
from .derivation import Derivation, derive
from .errors import AttentionError, FileError, SettingsError, ShapeError, TextError
from .formulas import merge_heads, softmax, split_heads
from .layer_checks import HeadNorm
from .masks import causal_mask, padding_mask, prefix_mask, window_mask
from .positions import Rotary, alibi_bias
from .projections import Projections, reordered_pairs
from .steps import AXES, STEPS, HeadTrace, Step
from .trace import Trace
from .version import __version__ as __version__

__all__ = [
    "AXES",
    "STEPS",
    "AttentionError",
    "Derivation",
    "FileError",
    "HeadNorm",
    "HeadTrace",
    "Projections",
    "Rotary",
    "SettingsError",
    "ShapeError",
    "Step",
    "TextError",
    "Trace",
    "alibi_bias",
    "attend",
    "causal_mask",
    "derive",
    "merge_heads",
    "padding_mask",
    "prefix_mask",
    "reordered_pairs",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
    "window_mask",
]
