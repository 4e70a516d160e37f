# The commands of this project. `make test` needs nothing but Python 3.11 or newer and a package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
AT_ONCE ?= 3

.PHONY: test quick prove prove-intake check lint types contracts pytest coverage fuzz format bench-hook bench-rooms bench-idle bench-claim bench-index bench-sync bench-targets bench-ledger bench-sweep bench-operation bench-save bench-intake bench score-codes package clean ui ui-check ui-tests browser screenshots

test: check browser pytest  ## everything that must pass before a change lands

quick: check  ## the half of it that needs no process and no socket: under a minute
	$(BIN)/python -m pytest tests/unit -n $(AT_ONCE)

prove: $(VENV)/.ready  ## faults, kills, damage and changes in the middle, on real processes and all servers; ends in a table
	$(BIN)/python -m pytest -m slow -p no:randomly -n $(AT_ONCE) --timeout 600 --ignore tests/prove/test_intake.py

prove-intake: $(VENV)/.ready  ## a thousand files through intake, two machines, everything killed at random; a quarter of an hour
	$(BIN)/python -m pytest -m slow -p no:randomly -s tests/prove/test_intake.py

check: lint types contracts ui-check

$(VENV)/.ready: requirements.txt requirements-postgres.txt requirements-watch.txt requirements-dev.txt sim/requirements.txt
	$(PYTHON) -c 'import sys; sys.exit("Stash2Plex needs Python 3.11 or newer; this is %d.%d. Try: make test PYTHON=python3.12" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r requirements-dev.txt
	touch $@

lint: $(VENV)/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.ready
	$(BIN)/pyright --pythonpath $(BIN)/python

contracts: $(VENV)/.ready
	$(BIN)/lint-imports --no-cache

pytest: $(VENV)/.ready
	$(BIN)/python -m pytest -n $(AT_ONCE)

ui: $(VENV)/.ready  ## build the page inside Stash: ui/dist, which is committed
	$(BIN)/python ui/node.py build

ui-check: $(VENV)/.ready  ## types and lint of the page
	$(BIN)/python ui/node.py check

browser: $(VENV)/.ready  ## find a Chromium for the tests of the page, or install it where that is allowed
	$(BIN)/python tests/ui/support/chromium.py

ui-tests: browser  ## the page alone, in a real browser
	$(BIN)/python -m pytest tests/ui -n $(AT_ONCE)

screenshots: browser  ## docs/images, made anew
	$(BIN)/python -m tests.ui.screenshots

PURE := intake/naming/*,intake/watching/gate.py,plan/*,validation/*,model/*,matching/*,sync/retries/*,sync/outcome.py,sync/scenes/decide.py,worker/circuit_breaker.py,worker/conditions.py,worker/rate_limiter.py,worker/sweeping/rules.py,plex/edit.py,ledger/baseline.py,ledger/states.py

coverage: $(VENV)/.ready  ## lines and branches: the pure modules complete, all of it at least 95 %
	$(BIN)/python -m pytest -n $(AT_ONCE) --cov --cov-report=
	$(BIN)/coverage report --skip-covered --show-missing --fail-under=95
	$(BIN)/coverage report --include='$(PURE)' --show-missing --fail-under=100

fuzz: $(VENV)/.ready  ## damaged documents of all kinds, for longer than `make test` has time
	FUZZ_EXAMPLES=5000 $(BIN)/python -m pytest tests/fuzz --timeout=3600

format: $(VENV)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench-hook: $(VENV)/.ready  ## the hook against a bare interpreter
	$(BIN)/python bench/hook.py

bench-rooms: $(VENV)/.ready  ## which modules one scene's job enters, and how often it changes the room
	$(BIN)/python bench/rooms.py

bench-idle: $(VENV)/.ready  ## what an idle worker costs in a minute
	$(BIN)/python bench/idle.py

bench-claim: $(VENV)/.ready  ## what taking a job costs
	$(BIN)/python bench/claim.py

bench-index: $(VENV)/.ready  ## an index of 100,000 Plex items against a bare loop
	$(BIN)/python bench/index.py

bench-sync: $(VENV)/.ready  ## syncing 5,000 and 20,000 scenes against a bare loop
	$(BIN)/python bench/sync.py
	$(BIN)/python bench/sync.py --target jellyfin
	$(BIN)/python bench/sync.py --target emby

bench-targets: $(VENV)/.ready  ## three targets at once: memory, one that is away, Save to Jellyfin
	$(BIN)/python bench/targets.py

bench-ledger: $(VENV)/.ready  ## what is remembered of 100,000 scenes with pictures: room, and time a picture
	$(BIN)/python bench/ledger.py

bench-intake: $(VENV)/.ready  ## files through intake against a bare loop, claims, an idle service
	$(BIN)/python bench/intake.py

bench-save: $(VENV)/.ready  ## from pressing Save until Plex shows it
	$(BIN)/python bench/save.py

bench: $(VENV)/.ready  ## all of them, one table; half an hour, and it wants the machine for itself
	$(BIN)/python bench/all.py

score-codes: $(VENV)/.ready  ## codes found right in names of other projects' tests, where those are at hand
	$(BIN)/python bench/score_codes.py

package:  ## a Stash plugin source in dist/: the zip and its index, made from the last commit
	$(PYTHON) release/package.py

bench-sweep: $(VENV)/.ready  ## a sweep over 10,000 and 100,000 unchanged scenes against a bare loop
	$(BIN)/python bench/sweep.py

bench-operation: $(VENV)/.ready  ## an operation that needs no Plex against a bare interpreter
	$(BIN)/python bench/operation.py

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis dist
