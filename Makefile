# What people type here. `make help` lists the targets.
#
# Needs: Python >= 3.11 (with venv), a Rust toolchain (rust-version in Cargo.toml), a C compiler, GNU make, and the package registries for the
# first build. Everything that is made lies in .venv, target and python/sawtooth/_native*.so; `make clean` takes it away again.

.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := python/sawtooth/_native.abi3.so

# One interpreter for pyo3 in every cargo call: another one in the next call would compile the extension anew.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Where this is set, every process of Python compiles every module anew: a second per worker of pytest, a tenth per command line.
unexport PYTHONDONTWRITEBYTECODE
# STRICT=1 (set by .ci/run): a check that cannot run is a failure, not a remark.
STRICT ?=

# Compiled on installation: what commands import. Tests of libraries, and libraries that only our tests import, are compiled when imported.
COMPILED_LATER := /(tests?|botocore|dask|distributed|moto|mypy|pandas|pip|polars|setuptools|sympy)/

# Two parts at a time: linking an engine keeps one core busy for a minute, so do mypy and valgrind. First the build, beside all of Rust;
# then the tests of Python, which use both cores and say how far they are. The gate links an engine of its own, clippy compiles every
# dependency once more, and mypy reads every library, so these stand in `make test-long`.
BESIDE := --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

RUST_SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates \( -name '*.rs' -o -name Cargo.toml \) -type f)

# By name, since rustfmt does not find the modules that a macro's row declares.
RUST_FILES := $(shell find crates bench stacks -name '*.rs' -not -path '*/target/*')

# Cargo finds stacks/.cargo/config.toml from there alone, and RUSTFLAGS would replace what it says.
IN_STACKS := cd stacks && env -u RUSTFLAGS

# Subjects (modules of crates/sim/tests/engine) whose tests draw random networks or paths, or run further paths when all cases are asked for.
RANDOM := disciplines in_flight lone_flow order packets properties rate_pairs rate_properties supply

.PHONY: help build demo wheel test test-long lint lint-rust ruff mypy rustfmt format test-rust test-rest test-python test-builds test-optimised gate tidy studies validation bench bench-appendix bench-grow bench-sweep bench-cluster bench-docs bench-micro stacks test-stacks stacks-docs stacks-causes stacks-windows lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

build: $(NATIVE) ## .venv with locked dependencies and the compiled engine; quick when nothing changed

demo: build ## builds, then `sawtooth demo`: a figure of a paper with its scores beside the printed ones, verdicts and a report
	$(BIN)/sawtooth demo

wheel: $(VENV)/.installed ## dist/sawtooth-*.whl, for people without Rust, compiler or clone: pip install FILE
	@rm -f dist/sawtooth-*.whl
	@env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin build --release --locked --quiet --out dist
	@ls dist/sawtooth-*.whl

test: ## what to run before a commit: eight minutes on two quiet cores from a fresh clone
	@$(MAKE) --no-print-directory $(BESIDE) test-rust rustfmt ruff build
	@$(MAKE) --no-print-directory test-python

# What is long and rarely finds what `make test` does not: all random networks, every key in every context, the same digests from an
# optimised and an unoptimised engine.
test-long: ## the rest of what continuous integration runs: long tests, all of the gate, the engine under other optimisation, the wheel, real stacks
	@$(MAKE) --no-print-directory $(BESIDE) test-rest mypy gate
	@$(MAKE) --no-print-directory test-optimised test-builds test-stacks

lint: lint-rust ruff mypy ## formatting, clippy, ruff, mypy: a warning is an error

rustfmt:
	@if cargo fmt --version >/dev/null 2>&1; then echo "rustfmt --check"; rustfmt --check --edition 2024 $(RUST_FILES); \
	else echo "NOT RUN: cargo fmt is not installed (rustup component add rustfmt)"; test -z "$(STRICT)"; fi

lint-rust: $(VENV)/.created rustfmt
	@if cargo clippy --version >/dev/null 2>&1; then echo "cargo clippy"; cargo clippy --workspace --all-targets --locked -- -D warnings; \
	else echo "NOT RUN: cargo clippy is not installed (rustup component add clippy)"; test -z "$(STRICT)"; fi

ruff: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

mypy: build
	$(BIN)/mypy

format: build ## write all sources in the form that `make lint` asks for
	rustfmt --edition 2024 $(RUST_FILES)
	$(BIN)/ruff format .

test-rust: $(VENV)/.created ## tests of cc, sim, plugin and host, examples, ledger and orders of events included
	cargo test --locked

# What the header in C is made with takes longer to compile than all of the engine.
test-rest: $(VENV)/.created
	cargo test --package sawtooth-header --locked
	@$(MAKE) --no-print-directory lint-rust

test-python: build ## tests of the experiment layer, the command line and the house rules, on all cores
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

test-optimised: build ## with the optimisation of a release: the ledger, and every random network, of which `make test` takes one in 32
	SAWTOOTH_TEST_CASES=all cargo test --profile optimised --package sawtooth-sim --locked --test engine -- $(addsuffix ::,ledger $(RANDOM)) --skip knobs::

# A second build of the module without optimisation: both must give the same digests.
test-builds: build wheel ## the long tests of Python: among them the module without optimisation, and the wheel in an environment of its own
	cargo build --package sawtooth-py --locked
	$(BIN)/python -m pytest -m long --numprocesses auto --dist worksteal

gate: build ## instructions per packet against the committed baseline, where valgrind is installed
	$(BIN)/python -m bench gate $(if $(STRICT),--strict)

tidy: build ## the house rules alone (also part of the tests)
	$(BIN)/python -m tools.tidy

studies: build ## every study in full, with its report, and the validation: hours, most of them for the appendix of 2002
	$(BIN)/sawtooth reproduce akella2002
	$(BIN)/sawtooth reproduce akella2002 --configuration faithful
	$(BIN)/sawtooth reproduce lahanas2003
	$(BIN)/sawtooth reproduce floyd2000
	$(BIN)/sawtooth reproduce reddy2012
	$(BIN)/sawtooth reproduce reddy2012/sliding-window
	$(BIN)/python -m validation --check

validation: build ## the tables and figures of docs/validation.md from fresh runs
	$(BIN)/python -m validation

bench: build ## cost per packet, memory, ratios to the floor program (to ns-2 and ns-3 where installed), wall time of the appendix
	$(BIN)/python -m bench compare
	$(BIN)/python -m bench appendix

bench-appendix: build ## wall time of the appendix of the 2002 study, extrapolated from a fixed sample of its runs
	$(BIN)/python -m bench appendix

bench-grow: build ## how the cost grows: flows, cross traffic, loss, window, recording, every table entry
	$(BIN)/python -m bench grow

bench-sweep: build ## a thousand runs through runner and store: wall time, share of the engine, memory
	$(BIN)/python -m bench sweep

bench-cluster: build ## the same sweep by workers of Dask: efficiency, what a task and a run cost
	$(BIN)/python -m bench cluster

bench-docs: build ## measure everything on the performance pages again and fill them: an hour on a quiet machine
	$(BIN)/python -m bench compare --save
	$(BIN)/python -m bench grow --save
	$(BIN)/python -m bench memory --save
	$(BIN)/python -m bench disciplines --save
	$(BIN)/python -m bench sweep --save
	$(BIN)/python -m bench cluster --save
	$(BIN)/python -m bench report

bench-micro: build ## criterion: event queue, scoreboard, queue, controller, a whole dumbbell
	cargo bench --package sawtooth-micro --locked

stacks: ## controllers and endpoints of real QUIC stacks as plug-ins (needs the registry): stacks/target/release/lib{s2n,quinn,noq}.so
	$(IN_STACKS) cargo build --release --locked

# Libraries and tests in one build: alone, each asks for other features of the same crates, and most would be compiled twice.
test-stacks: build ## tests of these: ten repetitions have one digest, NewReno and CUBIC do what ours do, and with rules changed BBR too
	$(IN_STACKS) cargo build --release --locked --all-targets
	$(IN_STACKS) cargo test --release --locked
	$(BIN)/python -m validation.causes --check

stacks-docs: build stacks ## the tables of docs/stacks.md from fresh runs: ten minutes
	$(BIN)/python -m validation.stacks
	$(BIN)/python -m validation.causes

stacks-causes: build stacks ## of these tables those that show why BBR of the stacks differs, by builds with single rules changed (stacks/causes.toml)
	$(BIN)/python -m validation.causes

stacks-windows: ## what the core's CUBIC is held to, from the CUBIC of a stack
	$(IN_STACKS) cargo run --quiet --release --locked --package sawtooth-stack-s2n --example windows

lock: $(VENV)/.installed ## refresh requirements.lock from pyproject.toml (needs the registry)
	$(BIN)/uv pip compile --upgrade --universal --generate-hashes --python-version 3.11 --extra dev --custom-compile-command "make lock" \
	  --quiet --output-file requirements.lock pyproject.toml

clean: ## remove what was built (stores and reports stay)
	rm -rf $(VENV) target dist $(NATIVE) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find python tests tools bench validation -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is older than Python 3.11: set PYTHON=/path/to/a/newer/python3"; exit 1; }
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { echo "python3 -m venv failed (Debian: apt-get install python3-venv)"; exit 1; }
	@touch $@

# The lock names every package, so there is nothing to resolve. uv, itself from the lock, installs in a tenth of pip's time. It does not
# read where pip was told to look for packages, so where pip was told, and where uv fails, pip installs.
$(VENV)/.installed: $(VENV)/.created requirements.lock
	@echo "installing the packages of requirements.lock into $(VENV)"
	@sed -n '/^uv==/,/^ *# via/p' requirements.lock > $(VENV)/uv.lock
	@if ! $(BIN)/python -m pip config list | grep -q index \
	  && $(BIN)/python -m pip install --quiet --no-compile --no-deps --only-binary :all: --require-hashes -r $(VENV)/uv.lock \
	  && $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements.lock; then :; \
	else $(BIN)/python -m pip install --quiet --no-compile --no-deps --require-hashes -r requirements.lock; fi
	@$(BIN)/python -m compileall -qq -j 2 -x '$(COMPILED_LATER)' $(VENV)/lib
	@touch $@

# The module gets the time at which its build began, so that a source edited during the build is newer.
# maturin finds the environment by VIRTUAL_ENV; a surrounding conda environment would be a second candidate, and it refuses to choose.
$(NATIVE): $(VENV)/.installed $(RUST_SOURCES)
	@touch $(VENV)/.compiling
	@echo "compiling the engine: a minute or two the first time"
	@env -u CONDA_PREFIX PIP_QUIET=1 VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked
	@$(BIN)/python -m compileall -qq python/sawtooth
	@touch -r $(VENV)/.compiling $@
