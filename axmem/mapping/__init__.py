"""The mapping from the model to the machine: whether a lowering is sound, what of it is necessary, what could be
saved."""
