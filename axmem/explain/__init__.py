"""Why an outcome is permitted or forbidden: executions, the rules that exclude them, and chains of relations."""
