"""The two forms of the machine, the explorer and the constraints, against each other."""
