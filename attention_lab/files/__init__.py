"""Readers of files from anywhere, which trust nobody: NPZ, NPY, safetensors, CSV."""
