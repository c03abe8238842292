"""Parts of the pages of the section on masks and kinds of attention."""
