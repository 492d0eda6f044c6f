"""The long comparison of the engines: every generated test of a suite under several models."""
