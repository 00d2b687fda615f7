BIN := .venv/bin
STAMP := .venv/.stamp
OLDEST := .venv-oldest
NEWEST := .venv-interop
SETUP := sh scripts/setup.sh

# External vectors: captured bytes and what they mean, kept outside the checkout. Tests that need them skip without.
ifneq ($(wildcard ../shared/vectors),)
export WIRELOOM_VECTORS ?= $(abspath ../shared/vectors)
endif

# What was compiled is kept, also where the shell says otherwise: every process of the tests would compile it anew.
unexport PYTHONDONTWRITEBYTECODE

# One worker runs everything in the session of Spark (see tests/conftest.py), the others the rest.
PYTEST := $(BIN)/pytest --numprocesses auto --dist loadgroup

FAST := 'not spark and not site and not wireshark and not memcached and not program and not accelerated and not sweep and not long'

ifndef ABREAST  # as `check` says of what may run beside others
.NOTPARALLEL:
endif
.PHONY: help setup java browser tshark memcached cobol luacheck generate schema-check lint types test test-all test-fast test-spark matrix pythons interop fuzz mutants bench docs demo check clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

setup: $(STAMP) java browser tshark memcached cobol luacheck ## make .venv with everything in it, and see that other programs are there

$(STAMP): pyproject.toml constraints.txt scripts/setup.sh
	$(SETUP) venv
	touch $@

$(OLDEST)/.stamp: $(STAMP) constraints-oldest.txt
	$(SETUP) oldest
	touch $@

java:
	@$(SETUP) java

browser:
	@$(SETUP) browser

tshark:
	@$(SETUP) tshark

memcached:
	@$(SETUP) memcached

cobol:
	@$(SETUP) cobol

luacheck:
	@$(SETUP) luacheck

generate: $(STAMP) ## write generated/ from specs/, the tables of options, keys and instructions in docs/, and the picture of the README
	$(BIN)/wireloom generate specs --out generated --package wireloom_protocols
	$(BIN)/python docs/site/option_tables.py
	$(BIN)/python docs/site/key_tables.py
	$(BIN)/python docs/site/instruction_tables.py
	$(BIN)/python docs/site/picture.py

schema-check: $(STAMP) ## fail when generated/ is not what specs/ gives
	$(BIN)/wireloom generate specs --out generated --package wireloom_protocols --check

lint: $(STAMP) luacheck ## style, format, and who imports whom
	$(BIN)/ruff check
	luacheck --quiet generated/wireshark/wireloom.lua
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: $(STAMP) ## mypy, strict; of tests, what their calls pass
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini

ONLY ?=
ROOMS = $(addprefix tests/,$(ONLY))
test: $(STAMP) java browser tshark memcached cobol ## the tests, but for sweeps over many cases; of some rooms: make test ONLY=columnar
	$(PYTEST) -m 'not sweep and not long' $(ROOMS)

test-all: $(STAMP) java browser tshark memcached cobol ## the tests, with sweeps; `make fuzz` has more
	$(PYTEST) -m 'not long' $(ROOMS)

test-fast: $(STAMP) ## the tests that need no other program and no compiled loops, but for sweeps
	$(PYTEST) -m $(FAST) $(ROOMS)

test-spark: $(STAMP) java ## the tests that need Spark
	$(BIN)/pytest -m spark

matrix: $(OLDEST)/.stamp java ## what versions of PySpark can do, with the oldest of it, pyarrow and numpy
	$(OLDEST)/bin/pytest -m 'not accelerated and not sweep and not long' tests/spark/test_versions.py tests/columnar/test_batches.py \
		tests/columnar/test_gathering.py tests/protocols/test_vectors_committed.py

FOUND = $(foreach version,3.11 3.12 3.13 3.14,$(shell python$(version) -c 'print("$(version)")' 2>/dev/null))
pythons: ## the tests of test-fast with every python3.11 to python3.14 that is on PATH
	@$(MAKE) --no-print-directory $(addprefix python-,$(FOUND))

python-%: .venv-%/.stamp
	.venv-$*/bin/pytest --numprocesses auto --dist loadgroup -m $(FAST)

.PRECIOUS: .venv-3.%/.stamp
.venv-3.%/.stamp: pyproject.toml constraints.txt scripts/setup.sh
	$(SETUP) python 3.$*
	touch $@

interop: $(STAMP) java ## what docs/interop.md says of other tools, with the newest versions of them
	$(SETUP) interop
	PYTHONPATH=tests $(NEWEST)/bin/python -m support.interop --check

SEED ?= 0
SECONDS ?= 600
fuzz: $(STAMP) java ## attack every protocol with made-up input: make fuzz SEED=7 SECONDS=3600
	$(PYTEST) -m long
	$(PYTEST) --hypothesis-profile thorough -m 'not spark and not site and not long'
	PYTHONPATH=tests $(BIN)/python -m attack.fuzz --seed $(SEED) --seconds $(SECONDS)

COUNT ?= 200
mutants: $(STAMP) java ## make faults on purpose, and see whether tests find them: make mutants SEED=1 COUNT=200
	$(BIN)/python scripts/mutants.py --seed $(SEED) --count $(COUNT) $(if $(AGAIN),--again $(AGAIN)) $(ROOMS)

bench: $(STAMP) java ## measure decoding
	$(BIN)/python benchmarks/run.py

docs: generate ## the documentation site, in build/site; open index.html there
	$(BIN)/python docs/site

demo: $(STAMP) java ## captured bytes to a table, start to end
	$(BIN)/python examples/demo.py

# The linters and mypy keep one core busy, and so do the tests of the matrix: they run side by side.
check: $(STAMP) $(OLDEST)/.stamp java luacheck ## everything CI checks
	$(MAKE) --jobs=2 --output-sync ABREAST=yes matrix lint types schema-check
	$(MAKE) test-all

clean: ## remove caches and build output; environments stay
	rm -rf build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache spark-warehouse
	find . -path './.venv*' -prune -o -name __pycache__ -type d -exec rm -rf {} +
