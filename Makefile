# The commands of this project. `make test` needs nothing but Python 3.11 or newer and a package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
AT_ONCE ?= 3

.PHONY: test prove check lint types contracts pytest coverage fuzz format bench-hook bench-idle bench-claim bench-index bench-sync bench-sweep bench-operation bench-save bench package clean

test: check pytest  ## everything that must pass before a change lands

prove: $(VENV)/.ready  ## faults, kills, damage and changes in the middle, on real processes; ends in a table; takes ten minutes
	$(BIN)/python -m pytest -m slow -p no:randomly -n $(AT_ONCE) --timeout 600

check: lint types contracts

$(VENV)/.ready: requirements.txt requirements-dev.txt sim/requirements.txt
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

PURE := plan/*,validation/*,worker/backoff.py,worker/circuit_breaker.py,worker/conditions.py,worker/outcome.py,worker/rate_limiter.py,worker/rules.py,worker/sweep_rules.py,plex/edit.py,plex/item.py,plex/matcher.py,plex/path_map.py,plex/path_map_derivation.py,plex/paths.py,ledger/baseline.py,ledger/states.py

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

bench-idle: $(VENV)/.ready  ## what an idle worker costs in a minute
	$(BIN)/python bench/idle.py

bench-claim: $(VENV)/.ready  ## what taking a job costs
	$(BIN)/python bench/claim.py

bench-index: $(VENV)/.ready  ## an index of 100,000 Plex items against a bare loop
	$(BIN)/python bench/index.py

bench-sync: $(VENV)/.ready  ## syncing 5,000 and 20,000 scenes against a bare loop
	$(BIN)/python bench/sync.py

bench-save: $(VENV)/.ready  ## from pressing Save until Plex shows it
	$(BIN)/python bench/save.py

bench: $(VENV)/.ready  ## all of them, one table; a quarter of an hour, and it wants the machine for itself
	$(BIN)/python bench/all.py

package:  ## a Stash plugin source in dist/: the zip and its index, made from the last commit
	$(PYTHON) release/package.py

bench-sweep: $(VENV)/.ready  ## a sweep over 10,000 and 100,000 unchanged scenes against a bare loop
	$(BIN)/python bench/sweep.py

bench-operation: $(VENV)/.ready  ## an operation that needs no Plex against a bare interpreter
	$(BIN)/python bench/operation.py

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis dist
