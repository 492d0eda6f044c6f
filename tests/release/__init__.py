"""What a release is held to, beyond what `make test` can hold it to: `make release` runs it."""
