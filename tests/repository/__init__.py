"""What is no room of the source: the package, the Makefile, the documents, what is committed in `results/`."""
