"""The lines that compute each step, in NumPy and in PyTorch, and the script and notebook made
of them.
"""
