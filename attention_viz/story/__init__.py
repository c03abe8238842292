"""The board of every step of the story: which matrices it shows, where they stand, and which
cell is pinned.
"""
