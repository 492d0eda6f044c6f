"""What the backend emits: targets and their lowering tables, and the lowering of tests."""
