"""The trained encoder of this repository and the measures of its heads."""
