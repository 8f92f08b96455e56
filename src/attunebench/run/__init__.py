"""Running models on a data set: Inspect AI is the engine, the ledger and the records are ours."""
