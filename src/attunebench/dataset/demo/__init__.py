"""The bundled demo data set: fourteen made-up conversations, for trying the program and never for claims."""

from importlib.resources import as_file, files

from attunebench.dataset.load import DataSet, load_dataset


def load_demo() -> DataSet:
    """Load the bundled conversations."""
    with as_file(files("attunebench.dataset.demo")) as folder:
        return load_dataset(folder)
