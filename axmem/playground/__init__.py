"""The checker's side of the playground: what the page asks, and the links that carry what it shows.

What goes in: a request as JSON text. What comes out: JSON text. The page itself, in `playground/` of a checkout, draws
what it gets and computes nothing of a memory model.
"""
