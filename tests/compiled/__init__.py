"""What llc makes of random programs that cannot surprise anybody: of one thread, or of seq_cst operations alone."""
