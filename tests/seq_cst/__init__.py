"""The order of seq_cst operations: what the papers say of it, a reading of them over operations, and the models."""
