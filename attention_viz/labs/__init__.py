"""Pictures of the section on laboratories."""
