"""One test judged: its results under a model, conditions, comparisons, expectations, robustness."""
