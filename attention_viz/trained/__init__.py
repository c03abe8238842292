"""Pictures of the section on trained heads."""
