# Everything that can be asked of this repository. `make play` and `make test` set up all they need.

VENV := .venv
BIN := $(VENV)/bin
PLAYABLE := $(VENV)/.playable
STAMP := $(VENV)/.installed
JS_TOOLS := tests/browser/tools
BIOME := $(JS_TOOLS)/node_modules/.bin/biome
NO_LIMIT := -o timeout=0 -o faulthandler_timeout=0

.PHONY: play test test-all house check format lint types contracts schema schema-write programs unit long test-lan wheel-test \
	types-js tools-js attacks autobahn contention crash crash-cluster cuts-cluster evening foreign ownership fuzz fuzz-sockets hidden mutants soak torn upgrade \
	bench figures played games games-table bench-bots bench-broker bench-browser bench-feel bench-relays bench-restart bench-scores bench-openings bench-spectators \
	bench-steps bench-stores bench-takeover bench-ui panes picture pictures browsers engines clean help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

play: $(PLAYABLE)  ## a live match against bots, here and now (bots only without a terminal)
	@$(BIN)/racing-demon play $(ARGS)

test: check  ## the same as check

house: $(STAMP)  ## modules a folder, lines, class names that occur twice, private parts of libraries
	$(BIN)/python -m tests.test_house

test-all: test long  ## the same, then the tests that take long, and more examples of every property

check: lint types contracts schema programs unit  ## format, lint, types, import contracts, schema, tests

format: $(STAMP)  ## put the sources into form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	@if command -v npm >/dev/null; then $(MAKE) -s tools-js && $(BIOME) check --write .; \
		else echo "no Node.js: the browser's scripts are not formatted"; fi

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@if command -v npm >/dev/null; then $(MAKE) -s tools-js && $(BIOME) ci .; \
		else echo "no Node.js: the browser's scripts are not checked"; fi

types: $(STAMP)
	$(BIN)/mypy

types-js: tools-js  ## check the types of the browser's scripts (Node.js 20)
	$(JS_TOOLS)/node_modules/.bin/tsc -p $(JS_TOOLS)

tools-js: $(JS_TOOLS)/node_modules/.stamp  ## install what the browser's table is checked with: Biome, TypeScript, axe (Node.js 20)

contracts: $(STAMP)
	@$(BIN)/lint-imports

schema: $(STAMP)  ## check that protocol/*.json and docs/wire.md are what messages and games say
	$(BIN)/python protocol/generate.py --check

schema-write: $(STAMP)  ## write them anew
	$(BIN)/python protocol/generate.py

games-table: $(STAMP)  ## write docs/games.md anew: every game, how it is raced, and where it is tested
	$(BIN)/python protocol/games_table.py

programs:
	@sh tests/programs.sh

# Six at a time keep two cores busy: tests wait for sockets and processes, too.
# Whole programs, on terminals, networks and brokers of their own, wait for each other more than they compute.
unit: $(STAMP)  ## the tests alone; with ARGS, those that they name
ifdef ARGS
	$(BIN)/pytest $(ARGS)
else
	$(BIN)/pytest -m "not long" -n 6 --dist worksteal tests/test_house.py tests/protocol tests/server tests/cluster tests/client
	$(BIN)/pytest -m "not long" -n 5 --dist loadgroup tests/system tests/browser tests/lab
endif

long: $(STAMP) programs  ## what test-all adds to test
	RACING_DEMON_LONG=1 $(BIN)/pytest -m long -n 4 --dist worksteal -o timeout=900 -o faulthandler_timeout=960 $(ARGS)

test-lan: $(STAMP)  ## two machines of network namespaces (as root): found, cut for 30 s, healed; prints times
	RACING_DEMON_CUT_SECONDS=30 $(BIN)/pytest $(NO_LIMIT) tests/system/test_lan.py $(ARGS)

contention: $(STAMP)  ## PLAYS contended plays through sockets that are cut: all told is true, all false found out
	RACING_DEMON_PLAYS=$(or $(PLAYS),20000) RACING_DEMON_MUTANTS=50 $(BIN)/pytest -s $(NO_LIMIT) tests/lab/histories/test_histories.py $(ARGS)

soak: $(STAMP)  ## HANDS in virtual time, with crashes, breaks and all the rest
	RACING_DEMON_HANDS=$(or $(HANDS),10000) $(BIN)/pytest -s $(NO_LIMIT) tests/lab/simulation/test_simulation.py $(ARGS)

hidden: $(STAMP)  ## HANDS played with other hidden cards: everybody is told the same, byte for byte
	RACING_DEMON_HANDS=$(or $(HANDS),10000) $(BIN)/pytest -s $(NO_LIMIT) tests/lab/hidden/test_hidden.py $(ARGS)

foreign: $(STAMP)  ## a client in JavaScript (Node.js 20) plays HANDS (10) of each race, and deals 20 games again
	RACING_DEMON_HANDS=$(or $(HANDS),10) RACING_DEMON_GAMES=22 \
		$(BIN)/pytest -s $(NO_LIMIT) tests/lab/foreign/test_foreign.py $(ARGS)

fuzz: $(STAMP)  ## RUNS of atheris, 204 decodings each: nothing but a refusal may come of a bad frame
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[fuzz]'
	$(BIN)/python -m tests.lab.fuzzing.guided -runs=$(or $(RUNS),500000) $(ARGS)

fuzz-sockets: $(STAMP)  ## FRAMES that are a little wrong, through real sockets
	RACING_DEMON_FRAMES=$(or $(FRAMES),100000) $(BIN)/pytest -s $(NO_LIMIT) tests/lab/fuzzing/test_fuzzing.py $(ARGS)

mutants: $(STAMP)  ## single mistakes planted in the server and the proof: which do the nearest tests not notice? GROUPS="rules record", ARGS="--sample 200"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[mutants]'
	$(BIN)/python tests/lab/mutation/run.py $(GROUPS) $(ARGS)

autobahn: $(STAMP)  ## Autobahn's cases of RFC 6455 against the server's port; needs a Python 2.7
	@sh tests/lab/autobahn/autobahn.sh

bench: $(STAMP)  ## the server beside bare relays and Colyseus; RACES=1000000 for as many; ARGS go to it
	$(BIN)/python benchmarks/server.py $(if $(RACES),--zero-races $(RACES)) $(ARGS)

attacks: $(STAMP)  ## each attack on a server that a match is played on: what it costs, in time and memory
	RACING_DEMON_LONG=1 $(BIN)/pytest -s $(NO_LIMIT) tests/lab/attacks/test_attacks.py $(ARGS)

games: $(STAMP)  ## GAMES (1,000) random hands of every game, all invariants; the known figures over DEALS (a million); an hour
	RACING_DEMON_GAMES=$(or $(GAMES),1000) RACING_DEMON_DEALS=$(or $(DEALS),1000000) \
		$(BIN)/pytest -s $(NO_LIMIT) tests/protocol/engine/mechanics tests/protocol/engine/rules/test_building_games.py \
		tests/protocol/games/test_figures.py tests/protocol/engine/rules/test_metamorphic.py $(ARGS)

figures: $(STAMP)  ## how many Klondike deals can be won, from DEALS (1,000), looking at POSITIONS (3,000,000) of each
	RACING_DEMON_SOLVED=$(or $(DEALS),1000) RACING_DEMON_POSITIONS=$(or $(POSITIONS),3000000) \
		$(BIN)/pytest -s $(NO_LIMIT) tests/lab/figures/test_solved.py $(ARGS)

played: $(STAMP)  ## how many deals of games with doubtful rules a patient player wins, of DEALS (1,000)
	RACING_DEMON_PLAYED=$(or $(DEALS),1000) \
		$(BIN)/pytest -s $(NO_LIMIT) tests/lab/figures/test_played.py $(ARGS)

crash: $(STAMP) programs  ## kill the server at KILLS random instants (10,000), and at every write of a hand; hours
	RACING_DEMON_KILLS=$(or $(KILLS),10000) RACING_DEMON_WRITE_STEP=$(or $(STEP),1) \
		$(BIN)/pytest tests/lab/crash/test_crash.py tests/lab/crash/test_disk_faults.py -s -n0 \
		$(NO_LIMIT) $(ARGS)

crash-cluster: $(STAMP) programs  ## kill one of three servers on PostgreSQL KILLS (1,000) times, and at each send to it; hours
	RACING_DEMON_LONG=1 RACING_DEMON_CLUSTER_KILLS=$(or $(KILLS),1000) RACING_DEMON_SEND_STEP=$(or $(STEP),1) \
		$(BIN)/pytest tests/system/test_cluster.py tests/lab/cluster/test_sends.py -k killed -s -n0 \
		$(NO_LIMIT) $(ARGS)

cuts-cluster: $(STAMP) programs  ## stop parts of a cluster on PostgreSQL for up to a minute, and cut them off from each other (root)
	RACING_DEMON_LONG=1 $(BIN)/pytest tests/lab/cluster/test_stops.py tests/lab/cluster/test_cuts.py -s -n0 \
		$(NO_LIMIT) $(ARGS)

upgrade: $(STAMP) programs  ## restart three servers on PostgreSQL one after the other under TABLES (100) tables
	RACING_DEMON_TABLES=$(or $(TABLES),100) $(BIN)/pytest tests/lab/cluster/test_upgrade.py -m "" -s -n0 \
		$(NO_LIMIT) $(ARGS)

ownership: $(STAMP)  ## RUNS (10,000) of the model of who owns which table: pauses, cuts, kills, failovers, in virtual time
	RACING_DEMON_RUNS=$(or $(RUNS),10000) $(BIN)/pytest tests/lab/ownership/test_ownership.py -s -n0 \
		$(NO_LIMIT) $(ARGS)

torn: $(STAMP)  ## read IMAGES journals (100,000) as power cuts leave them
	RACING_DEMON_IMAGES=$(or $(IMAGES),100000) $(BIN)/pytest tests/lab/torn/test_torn.py -s -n0 \
		$(NO_LIMIT) $(ARGS)

bench-bots: $(STAMP)  ## HANDS (200) four-handed hands: what each level of bot earns, and level against level
	$(BIN)/python benchmarks/bots.py --hands $(or $(HANDS),200)
	$(BIN)/python benchmarks/bots.py --hands $(or $(HANDS),200) --game classic
	$(BIN)/python benchmarks/bots.py --hands $(or $(HANDS),200) --pairs

bench-steps: $(STAMP)  ## the longest step of the event loop in a hand of expert bots, in all games; ARGS go to it
	$(BIN)/python benchmarks/steps.py $(ARGS)

bench-stores: $(STAMP)  ## a play whose journal is in SQLite, in PostgreSQL with a standby, and nowhere; ARGS go to it
	PYTHONPATH=. $(BIN)/python benchmarks/stores.py $(ARGS)

bench-takeover: $(STAMP)  ## kill a server with 500 tables: when they are another's, and when that has read them
	$(BIN)/python -m benchmarks.takeover

bench-openings: $(STAMP)  ## tables opened a second at PostgreSQL, with reserved codes and without
	$(BIN)/python -m benchmarks.openings

bench-ui: $(STAMP)  ## from a key to its picture, beside an empty application and a raw loop; ARGS go to it
	$(BIN)/python benchmarks/ui.py $(ARGS)

bench-restart: $(STAMP)  ## memory, processor time and bytes of a restart with a long log; ARGS go to it
	$(BIN)/python benchmarks/restart.py $(ARGS)

bench-spectators: $(STAMP)  ## play to seen with 500 spectators and without, and with some who never read
	$(BIN)/python benchmarks/spectators.py $(ARGS)

bench-relays: $(STAMP)  ## processor time of a server a play without spectators, and with 5,000 at a relay
	$(BIN)/python benchmarks/relays.py $(ARGS)

bench-broker: $(STAMP)  ## play to seen while the MQTT broker is up, and while it is killed
	$(BIN)/python benchmarks/broker.py $(ARGS)

bench-scores: $(STAMP)  ## standings over 1,000 simulated matches: right against another count, and how long they take
	RACING_DEMON_MATCHES=1000 $(BIN)/pytest -q $(NO_LIMIT) tests/protocol/records/test_standings.py $(ARGS)
	$(BIN)/python benchmarks/scores.py

panes: $(STAMP)  ## eight terminal clients in tmux on one table, played by a script, to look at
	sh tests/lab/panes.sh

picture: $(STAMP)  ## draw the terminal's picture in the README anew
	$(BIN)/python client/picture.py docs/table.svg

pictures: $(STAMP)  ## draw the pictures of the browser's table in the README anew (Chromium)
	$(BIN)/python -m tests.browser.pictures docs

browsers: $(STAMP) tools-js  ## phones in Chromium play whole matches and all games, are cut off, and are read by axe; minutes
	RACING_DEMON_LONG=1 RACING_DEMON_BROWSER=required $(BIN)/pytest -s -n0 $(NO_LIMIT) \
		tests/browser --ignore tests/browser/test_engines.py $(ARGS)

evening: $(STAMP)  ## rehearse an evening with all kinds of screens; writes its pictures to FOLDER (evening/)
	$(BIN)/python -m tests.browser.evening $(or $(FOLDER),evening)

engines: $(STAMP)  ## Firefox and WebKitGTK play a hand each (apt-get install firefox-esr webkit2gtk-driver xvfb)
	RACING_DEMON_BROWSER=required $(BIN)/pytest -s -n0 tests/browser/test_engines.py $(ARGS)

bench-browser: $(STAMP)  ## what the browser's table loads and costs, beside an empty page (Chromium); ARGS go to it
	$(BIN)/python -m benchmarks.browser $(ARGS)

bench-feel: $(STAMP)  ## from tap to picture in a page while others play fast, as it is and six times slower (Chromium); ARGS
	$(BIN)/python -m benchmarks.feel $(ARGS)

wheel-test: $(STAMP)  ## build the wheel, and play a hand from it in a fresh environment elsewhere
	sh tests/wheel.sh

clean:  ## remove what the other targets made
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMP): pyproject.toml constraints.txt deploy/venv.sh
	@PYTHON="$(PYTHON)" sh deploy/venv.sh dev

$(JS_TOOLS)/node_modules/.stamp: $(JS_TOOLS)/package-lock.json
	npm ci --prefix $(JS_TOOLS) --silent --no-audit --no-fund
	@touch $@

$(PLAYABLE): pyproject.toml constraints.txt deploy/venv.sh
	@PYTHON="$(PYTHON)" sh deploy/venv.sh
