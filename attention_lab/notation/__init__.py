"""One quantity, several ways to write it: our notation, and that of five source texts."""
