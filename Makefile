# kcut: `make quick` measures, `make test` checks; both need only python3 (3.11 to 3.13) and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
OUT    ?= out

.PHONY: quick test lint types bench docs lock clean

quick: $(VENV)/.runtime
	$(BIN)/kcut sweep quick --store $(OUT)/quick
	$(BIN)/kcut report $(OUT)/quick --output $(OUT)/quick/report
	$(BIN)/kcut check $(OUT)/quick

# The micro-benchmarks run once each without a clock, so that they cannot rot.
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto
	$(BIN)/python -m pytest -n auto -q bench/micro -k "not large and not window"

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m pytest bench/micro --benchmark-enable --benchmark-group-by=group --benchmark-columns=min,median,rounds

# Warnings are errors: a broken link or an undocumented name fails the build.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q docs $(OUT)/docs
	@echo $(OUT)/docs/index.html

# The lock files name no index: they hold versions and hashes alone.
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links
lock:
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) pyproject.toml --extra dev -c requirements.lock -o requirements-dev.lock
	$(LOCK) pyproject.toml --extra docs -c requirements-dev.lock -o requirements-docs.lock

clean:
	rm -rf $(VENV) $(OUT)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(None if (3, 11) <= sys.version_info < (3, 14) else "kcut needs Python 3.11 to 3.13, this is %d.%d" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

# hatchling comes from the lock file too, so that nothing is fetched without a hash.
$(VENV)/.runtime: requirements.lock requirements-build.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock -r requirements-build.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	touch $@

$(VENV)/.docs: requirements-docs.lock $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-docs.lock
	touch $@
