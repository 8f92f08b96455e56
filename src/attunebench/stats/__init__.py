"""Statistics of scores that come in clusters, as those of people who held several conversations do.

Pure: arrays in, frozen results out, randomness only through a passed `rng`. Nothing here knows what is measured.
"""
