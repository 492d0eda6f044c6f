"""Memory models as cat text, and the cat front end."""
