"""Built pages in a real browser: the site of the documentation, and what other tests need of a browser."""
