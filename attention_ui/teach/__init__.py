"""What the pages for teaching let a teacher or a student choose."""
