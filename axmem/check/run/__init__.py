"""Many tests judged: jobs, workers, clusters, what is known from earlier runs."""
