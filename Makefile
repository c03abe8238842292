# Works with GNU make 3.81 (macOS) and newer. Another interpreter: make PYTHON=python3.12 run
# Arguments for the app or for pytest: make run ARGS="--server.port 8600", make test ARGS="-m 'not browser'"
PYTHON ?= python3
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
MUTANTS := $(VENV)/mutants
# For every system and Python that the app runs on.
COMPILE := $(BIN)/uv pip compile - --quiet --universal --python-version 3.11 --no-annotate --custom-compile-command "make lock"
LOCK := grep -v "^-c" requirements.txt | $(COMPILE)
# What the extra [server] adds, for the images.
LOCK_SERVER := grep -o "psycopg.*==[0-9.]*" pyproject.toml | $(COMPILE)
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test test-all lint bench docs site mutants lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: $(VENV)/run.stamp ## install what the app needs and open it
	$(BIN)/python -m attention_ui.command $(ARGS)

test: $(VENV)/dev.stamp ## lint, types, doctests, unit, page and browser tests
	$(BIN)/python scripts/check.py test $(ARGS)

test-all: ## before a release: all journeys, every page in every situation
	$(MAKE) test ARGS="--every-situation $(ARGS)"

lint: $(VENV)/dev.stamp ## style, types and words only
	$(BIN)/python scripts/check.py lint

bench: $(VENV)/dev.stamp ## measure the engine and the pages
	CHROMIUM="$$($(BIN)/python scripts/find_chromium.py)" && export CHROMIUM && $(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/dev.stamp ## make the API reference in build/docs
	$(BIN)/python -m scripts.make_docs build/docs

site: $(VENV)/dev.stamp ## build the site without a server into build/site
	$(BIN)/python -m scripts.build_site $(ARGS)

mutants: $(VENV)/mutants.stamp ## plant mistakes by a program: make mutants ARGS="attention_viz/trained --count 40"
	CHROMIUM="$$($(BIN)/python scripts/find_chromium.py)" && export CHROMIUM && $(BIN)/python -m scripts.mutants $(ARGS)

lock: $(BIN)/python ## pin all packages, after a change of requirements.txt or requirements-dev.txt
	$(PIP_INSTALL) uv==0.13.9
	$(LOCK) $(ARGS) --output-file constraints.txt
	$(LOCK) --constraints constraints.txt --generate-hashes --output-file requirements.lock
	$(LOCK_SERVER) --constraints constraints.txt --generate-hashes --output-file deploy/server.lock
	cat requirements-dev.txt | $(COMPILE) $(ARGS) --generate-hashes --output-file requirements-dev.lock

clean: ## remove the environment, caches and everything built
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than its requirements file only after a complete installation.
$(VENV)/run.stamp: requirements.lock $(BIN)/python
	$(PIP_INSTALL) -r requirements.lock
	touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(BIN)/python
	$(PIP_INSTALL) -r requirements-dev.lock
	touch $@ $(VENV)/run.stamp

# In a folder of its own: nothing else needs these, and no version of another package may change.
$(VENV)/mutants.stamp: $(VENV)/dev.stamp
	$(PIP_INSTALL) --quiet --upgrade --target $(MUTANTS) cosmic-ray==8.7.0 coverage==7.17.5
	touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one: make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }
