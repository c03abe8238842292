"""Propositions about the diagonal, each with its proof and a live check."""
