"""Pictures of the section on masks and kinds of attention."""
