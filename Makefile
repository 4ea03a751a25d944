# Two commands do everything: `make demo` and `make test`. All but `make play` stays on this machine.
.POSIX:
.SUFFIXES:

PYTHON = python3
VENV = .venv
BIN = $(VENV)/bin
export FACEDOWN_INTERFACE = 127.0.0.1
# Compiled modules are kept, whatever the shell says: dozens of processes start here.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help play demo test check format bench fuzz audit clean

help:
	@echo "make play    the table in your browser, on your network"
	@echo "make demo    four peers find each other, play Hazari and verify the record"
	@echo "make test    all tests"
	@echo "make check   the quick loop: lint, types, import rule, unit tests"
	@echo "make soak    whole tables with faults and liars, simulated; SOAK=600 seconds from SEED=1 on;"
	@echo "             then real peers, of which KILLS=200 are killed (half an hour and more)"
	@echo "make bench   speed, as ratios of operations priced in the same run"
	@echo "make fuzz    every decoder of bytes from outside, guided by coverage; SECONDS=60"
	@echo "make audit   asks whether an installed package has a known vulnerability"
	@echo "make $(VENV)   only the virtual environment"

# The environment is made anew when what it must hold has changed.
$(VENV): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Facedown needs Python 3.11 or newer; $(PYTHON) is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@echo "setting up $(VENV) (once; a minute or two)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $(VENV)

# On your network, unlike everything else here; INTERFACE=192.168.1.20 narrows it.
play: $(VENV)
	@FACEDOWN_INTERFACE=$(INTERFACE) $(BIN)/facedown play || test $$? -eq 130

demo: $(VENV)
	@$(BIN)/facedown demo

# Playwright is installed only where there is a browser for it to drive, or where one is required.
$(VENV)/browser: $(VENV)
	@if command -v chromium >/dev/null || [ -n "$$FACEDOWN_REQUIRE_BROWSER" ]; then \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[browser]'; \
		touch $@; \
	fi

# What measures time runs alone, so that nothing is late by load. The third process has work while
# the others wait for the network. Browsers come last: beside each other, as each waits a lot.
test: $(VENV) $(VENV)/browser
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q -n 3 --dist worksteal -m "not alone and not browser"
	@$(BIN)/python -m pytest -q -m alone
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal -m browser

check: $(VENV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow and not alone and not browser"

format: $(VENV)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# Most of the time goes to small games, with and without long absences; the real ones follow, and
# programs are killed at every moment of one table, and at every vote of another. In the end a table
# plays for a day of virtual time: nothing may grow.
SOAK = 600
KILLS = 200
SEED = 1
soak: $(VENV)
	@$(BIN)/python -m tests.sim --start $(SEED) --seconds $$(($(SOAK) * 3 / 10))
	@$(BIN)/python -m tests.sim --start $(SEED) --seconds $$(($(SOAK) * 3 / 10)) --votes
	@$(BIN)/python -m tests.sim --start $(SEED) --seconds $$(($(SOAK) / 10)) --game azi --every 50
	@$(BIN)/python -m tests.sim --start $(SEED) --seconds $$(($(SOAK) / 10)) --game azi --votes --every 50
	@$(BIN)/python -m tests.sim --start $(SEED) --seconds $$(($(SOAK) / 10)) --game hazari --votes --every 50
	@$(BIN)/python -m tests.sim --start $(SEED) --seconds $$(($(SOAK) / 10)) --game azi --seats 3 --kills
	@$(BIN)/python -m tests.sim --start $(SEED) --votes --kills
	@$(BIN)/python -m tests.soak --seed $(SEED) --kills $(KILLS)
	@$(BIN)/python -m tests.soak.day

bench: $(VENV)
	@$(BIN)/python -m bench.crypto
	@$(BIN)/python -m bench.lane
	@FACEDOWN_INTERFACE=127.0.0.1 $(BIN)/python -m bench.moves
	@$(BIN)/python -m bench.search
	@$(BIN)/python -m bench.startup
	@$(BIN)/python -m bench.memory

# Where atheris has no wheel the module says so itself.
$(VENV)/fuzz: $(VENV)
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'; then \
		touch $@; \
	fi

SECONDS = 60

fuzz: $(VENV)/fuzz
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

audit: $(VENV)
	@$(BIN)/python -m tests.audit

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
