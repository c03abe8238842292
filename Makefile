# Works with GNU make 3.81 (macOS) and newer. Another interpreter: make PYTHON=python3.12 run
# Arguments for the app or for pytest: make run ARGS="--server.port 8600", make test ARGS="-m 'not browser'"
PYTHON ?= python3
ARGS ?=
# Every process has an app and a Chromium of its own.
PARALLEL := --numprocesses auto --maxprocesses 4 --dist worksteal
# Where sentences stand. The checks that are off in .proselintrc.json: straight quotes of code, lines of tables and CSV that
# begin alike, "color" of CSS, "sans-serif" of CSS, names with "-ly", ranges of numbers.
PROSE := "*.md" "pages/*.py" "attention_*/*.py" "assets/data/*.csv" "assets/data/*.json"
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test test-all lint types words bench docs site clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: $(VENV)/run.stamp ## install what the app needs and open it
	$(BIN)/python -m streamlit run app.py $(ARGS)

test: lint ## lint, types, doctests, unit, page and browser tests
	CHROMIUM="$$($(BIN)/python scripts/find_chromium.py)" && export CHROMIUM && $(BIN)/python -m pytest $(PARALLEL) $(ARGS)

test-all: ## make test with every page in every situation
	$(MAKE) test ARGS="--every-situation $(ARGS)"

lint: $(VENV)/dev.stamp ## style, types and words only
	$(MAKE) --jobs 2 types words

types: $(VENV)/dev.stamp
	$(BIN)/python -m mypy

words: $(VENV)/dev.stamp
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/codespell .
	git ls-files $(PROSE) | xargs $(BIN)/proselint --config .proselintrc.json check

bench: $(VENV)/dev.stamp ## measure the engine and the pages
	CHROMIUM="$$($(BIN)/python scripts/find_chromium.py)" && export CHROMIUM && $(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/dev.stamp ## make the API reference in build/docs
	$(BIN)/python -m scripts.make_docs build/docs

site: $(VENV)/dev.stamp ## build the site without a server into build/site
	$(BIN)/python -m scripts.build_site $(ARGS)

clean: ## remove the environment, caches and everything built
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than its requirements file only after a complete installation.
$(VENV)/run.stamp: requirements.txt constraints.txt $(BIN)/python
	$(PIP_INSTALL) -r requirements.txt
	touch $@

$(VENV)/dev.stamp: requirements-dev.txt requirements.txt constraints.txt $(BIN)/python
	$(PIP_INSTALL) -r requirements-dev.txt
	touch $@ $(VENV)/run.stamp

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one: make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }
