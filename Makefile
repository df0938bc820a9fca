# What people ask of this repository. Experiments are in tests/lab, benchmarks in benchmarks/.
# `make play` and `make test` set up all that they need.

VENV := .venv
BIN := $(VENV)/bin
PLAYABLE := $(VENV)/.playable
STAMP := $(VENV)/.installed
JS_TOOLS := tests/web
BIOME := $(JS_TOOLS)/node_modules/.bin/biome

.PHONY: help play test test-all lint format types schema-write coverage bench lab docs evening pictures wheel-test fast release clean node-tools

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

play: $(PLAYABLE)  ## a live match against bots, here and now (bots only without a terminal)
	@$(BIN)/racing-demon play $(ARGS)

test: $(STAMP) node-tools  ## every check: format, lint, contracts, generated files, types, tests; ARGS names some
	@sh tests/programs.sh
ifdef ARGS
	$(BIN)/pytest $(ARGS)
else
	@$(BIN)/python -m tests.run
endif

test-all: test  ## the same, then all tests that take long, and more examples of every property
	RACING_DEMON_LONG=1 $(BIN)/pytest -m long -n 4 --dist worksteal -o timeout=900 -o faulthandler_timeout=960

coverage: $(STAMP)  ## which lines of the packages their tests do not run, by file; no gate
	$(BIN)/pytest -q -m "not long" -n 6 --dist worksteal --cov tests/protocol tests/server tests/cluster tests/client

lint: $(STAMP) node-tools  ## format, lint, import contracts, generated files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python protocol/generate.py --check
	@if [ -x $(BIOME) ]; then $(BIOME) ci .; else echo "no Biome: the browser's scripts are not checked"; fi

format: $(STAMP) node-tools  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@if [ -x $(BIOME) ]; then $(BIOME) check --write .; else echo "no Biome: the browser's scripts are not formatted"; fi

types: $(STAMP)  ## check the types; those of the browser's scripts are checked by a test
	$(BIN)/mypy

schema-write: $(STAMP)  ## write all that is generated: schema, the page's data, parts of the manuals, new public names
	$(BIN)/python protocol/generate.py
	$(BIN)/python protocol/games_table.py
	$(BIN)/python -m tests.test_public_names

bench: $(STAMP)  ## the server beside bare relays and Colyseus; BENCH=steps for another of benchmarks/; ARGS=--help
	$(BIN)/python -m benchmarks.$(or $(BENCH),server) $(ARGS)

lab:  ## list the experiments; tests/lab/README.md explains them
	@$(MAKE) --no-print-directory -C tests/lab

evening: $(STAMP)  ## draw all screens in FOLDER (evening/), beside those of BEFORE (pictures or a tree); rehearse evenings
	$(BIN)/python -m tests.lab.evening.gallery $(or $(FOLDER),evening)/screens $(if $(BEFORE),--before $(BEFORE))
	$(BIN)/python -m tests.lab.evening.rehearsal $(or $(FOLDER),evening)
	$(BIN)/python -m tests.lab.evening.week_later $(or $(FOLDER),evening)/weeks

docs: $(STAMP)  ## build the documents as a site, in site/
	@[ -x $(BIN)/mkdocs ] || $(BIN)/python -m pip install -q --disable-pip-version-check -e '.[docs]'
	$(BIN)/mkdocs build --strict --quiet

pictures: $(STAMP)  ## draw the pictures in the README anew (Chromium)
	$(BIN)/python client/picture.py docs/table.svg
	$(BIN)/python -m tests.browser.pictures docs
	$(BIN)/python -m tests.browser.components docs

wheel-test: $(STAMP)  ## build the wheel, and play a hand from it in a fresh environment elsewhere
	sh tests/wheel.sh

fast: $(STAMP)  ## compile the server into a wheel (mypyc), install it into .venv-fast, and test it there
	sh tests/fast.sh $(ARGS)

release: $(STAMP)  ## build what is published into dist/, and check it: sdist, wheel, bill of materials, checksums
	sh deploy/release.sh

clean:  ## remove what the other targets made
	rm -rf $(VENV) .venv-fast dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage

$(STAMP): pyproject.toml constraints.txt deploy/venv.sh
	@PYTHON="$(PYTHON)" sh deploy/venv.sh dev

$(PLAYABLE): pyproject.toml constraints.txt deploy/venv.sh
	@PYTHON="$(PYTHON)" sh deploy/venv.sh

# Biome, TypeScript and axe, where Node.js is; without them their checks are left out.
node-tools:
	@if command -v npm >/dev/null && \
		{ [ ! -e $(JS_TOOLS)/node_modules/.stamp ] || [ $(JS_TOOLS)/package-lock.json -nt $(JS_TOOLS)/node_modules/.stamp ]; }; then \
		npm ci --prefix $(JS_TOOLS) --silent --no-audit --no-fund && touch $(JS_TOOLS)/node_modules/.stamp || \
		rm -rf $(JS_TOOLS)/node_modules; fi  # half of it would look like all
