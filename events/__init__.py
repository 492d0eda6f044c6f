"""From a test to events: the symbolic walk of its threads and lanes, values, barriers, DMA operations."""
