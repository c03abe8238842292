"""Parts of the pages for teaching."""
