"""The pages of README and docs/: what they show is so, and readers find it."""
