"""Litmus tests in the form that herd7 began and other tools share: a header, initial values, a program, a question."""
