"""Classes that vote: the routes of the server, and the page for teacher and students."""
