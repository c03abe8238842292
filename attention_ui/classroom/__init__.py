"""A class that answers together: the routes of the server, the page of teacher and students."""
