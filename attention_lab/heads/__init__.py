"""What heads look at, what they are worth, what they share, and how they can be written
otherwise.
"""
