"""The playground: what the page asks, its links, what its modules import, and the page in a real browser."""
