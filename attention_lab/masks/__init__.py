"""Who may see what: experiments, layers with faults, what the layer cannot see."""
