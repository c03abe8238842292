"""Pages of reference: what learners ask, and the glossary."""
