"""Read the data files that ship inside this package."""

from importlib.resources import files


def read_data(name: str) -> bytes:
    """Return the bytes of `data/<name>`."""
    return files("attunebench.instrument").joinpath("data", name).read_bytes()
