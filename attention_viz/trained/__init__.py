"""Pictures of the section on trained models."""
