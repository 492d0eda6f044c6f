"""Random functions with pointers, before and after a change, and where their pointers may lead."""
