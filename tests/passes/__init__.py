"""Passes on trial: what goes in, what opt makes of it, what is said of it, and changes seeded into an opt."""
