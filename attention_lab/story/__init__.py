"""What the pages of the steps say of a layer: for each step one record of facts, and the function
that finds them.
"""
