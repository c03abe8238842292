"""Pictures of the section on the diagonal."""
