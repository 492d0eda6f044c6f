"""Where input comes from and output goes to: sources, diagnostics, options, files, progress, exit codes."""
