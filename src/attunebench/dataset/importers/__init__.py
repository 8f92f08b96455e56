"""Other people's data sets, turned into conversations: one module a source, with its licence and citation."""
