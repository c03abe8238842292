"""Pictures of the section on heads."""
