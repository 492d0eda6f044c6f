"""Models of other tools, in the dialects in which they are written."""
