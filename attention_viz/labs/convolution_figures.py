"""How the error of attention falls with the sharpness of its heads, beside the line that theory
expects.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..curves import LEGEND, MARGIN, axis, curve
from ..labels import number
from ..parts import broken_line, layout
from ..theme import Figure

LEAST = 1e-17  # below the smallest error that float64 can show


def error_figure(
    sharpnesses: Sequence[float],
    errors: Sequence[float],
    expected: Sequence[float],
    chosen: float,
    law: str,
) -> Figure:
    """The largest error at each sharpness, measured and expected, on a logarithmic scale. law:
    the line's name.
    """
    shown = [max(error, LEAST) for error in errors]
    data = [
        curve(sharpnesses, shown, "largest error", "@primary", mode="lines+markers"),
        curve(sharpnesses, expected, law, "@focus", "dash"),
    ]
    at = int(np.argmin([abs(sharpness - chosen) for sharpness in sharpnesses]))
    says = (
        f"Line chart: the largest error falls with the sharpness; at {number(chosen, 2)} it is"
        " about "
    )
    parts = {
        "showlegend": True,
        "legend": LEGEND,
        "margin": MARGIN | {"l": 64},
        "xaxis": axis("sharpness α", range=[0, max(sharpnesses) * 1.02]),
        "yaxis": axis("largest error", type="log", exponentformat="e", range=[-17.2, 1.2]),
        "shapes": [broken_line(chosen, LEAST, chosen, 10, "@muted", 1, "dot")],
    }
    return {"data": data, "layout": layout(320, f"{says}{number(errors[at])}.", **parts)}
