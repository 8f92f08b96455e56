"""Data sets of annotated conversations: the types, reading and checking files, describing and writing them.

`load.load_dataset` reads a data set or says everything that is wrong with it; `load.read_conversations` does the
same one conversation at a time. `schema` holds the types; `validate`, `describe` and `export` do what they say.
"""
