"""The bundled demo data set: fourteen made-up conversations, for trying the program and never for claims."""

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path

from attunebench.dataset.load import DataSet, load_dataset


def demo_folder() -> AbstractContextManager[Path]:
    """Return a context in which the bundled conversations stand in a folder."""
    return as_file(files("attunebench.dataset.demo"))


def load_demo() -> DataSet:
    """Load the bundled conversations."""
    with demo_folder() as folder:
        return load_dataset(folder)
