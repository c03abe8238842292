"""The pages of the chapter for teachers, described once."""
