"""Lessons: ordered views of the app with words, questions and notes for the teacher."""
