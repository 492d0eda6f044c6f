"""Proofs without a bound: files of lemmas, what they are about, and the check that they prove it."""
