"""A suite as a static site: an overview, a page for each test, model and rule."""
