"""What the sections of the menu compute on top of the engine, and how data come in and go out."""
