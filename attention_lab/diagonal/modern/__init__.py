"""What today's variants of attention do to the diagonal, and the delta rule step by step."""
