"""What is not read of files that others wrote, and of the sources that are compiled here: every reason, counted."""
