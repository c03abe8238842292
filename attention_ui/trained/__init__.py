"""Parts of the pages of the section on trained models."""
