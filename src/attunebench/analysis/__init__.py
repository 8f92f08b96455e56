"""What the benchmark asks of its scores: who differs from whom, on what, for whom, and how sure that is."""
