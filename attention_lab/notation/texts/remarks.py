"""Remarks that several texts need."""

FUSED = (
    "The text makes each head's own matrix at once; here they stand together and are split in the"
    " next step."
)
MASK = "The text has no mask. "
FROM_1 = "The text counts them from 1; in the pictures they keep their numbers from 0."
