"""What contexts see of a row of operations, and whether a change of the row is sound by it, whatever their size."""
