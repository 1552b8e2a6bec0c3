# A fresh machine needs Python 3.11 or later and a Rust toolchain. `make demo` and `make test` do
# the rest: each sets up what it lacks and repeats nothing that is still current.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
SECONDS ?= 60
WORKERS ?= auto
PROFILE ?= ci

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
TOOLS := .tools
CODE := python tests benches examples

EXTENSION := python/survey_fast/_core.abi3.so
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find rust/core rust/binding -name '*.rs' -o -name Cargo.toml)
FUZZ := --manifest-path rust/fuzz/Cargo.toml
FUZZ_TARGETS := $(basename $(notdir $(wildcard rust/fuzz/fuzz_targets/*.rs)))
SEEDS_parser := $(wildcard tests/vectors/jcs/input tests/vectors/jcs/output rust/fuzz/seeds/parser)
SEEDS_envelope := $(wildcard tests/vectors/traverse-envelopes tests/vectors/traverse/envelopes*/)

# What the caller's shell says about Python does not reach the environment in .venv.
unexport PYTHONPATH PYTHONHOME
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export HYPOTHESIS_PROFILE := $(PROFILE)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=python3.12   the interpreter that makes the environment"
	@echo "  PROFILE=dev         fewer examples for the property tests (ci, dev, nightly)"
	@echo "  WORKERS=1           processes that run the Python tests"
	@echo "  SECONDS=600         time for each fuzz target"
	@echo "  OPTIONAL=1          interop: say that it could not run, and do not fail"

# ---- set-up --------------------------------------------------------------------------------

.PHONY: setup
setup: $(STAMPS)/extension ## Make the environment in .venv and build the extension

$(STAMPS)/environment:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) here. Install Python 3.11 or later, or name one: make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11. Name another: make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "$(PYTHON) cannot make environments: its packages venv and ensurepip are missing."; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet 'pip>=25.1,<27'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/packages: pyproject.toml $(STAMPS)/environment
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

# maturin installs the package in place: Python files need no second build.
$(STAMPS)/extension: $(RUST_SOURCES) $(STAMPS)/packages $(if $(wildcard $(EXTENSION)),,missing) | cargo
	PIP_QUIET=1 $(BIN)/maturin develop --release --quiet
	@touch $@

.PHONY: missing
missing:

.PHONY: cargo
cargo:
	@command -v cargo >/dev/null || { echo "No cargo here. Install a Rust toolchain (rust-version in Cargo.toml, or later)."; exit 1; }

.PHONY: rust-tools
rust-tools: cargo
	@for tool in fmt:rustfmt clippy:clippy; do \
	  cargo $${tool%%:*} --version >/dev/null 2>&1 || rustup component add $${tool##*:} \
	    || { echo "The Rust toolchain lacks $${tool##*:}, and rustup could not add it."; exit 1; }; \
	done

# ---- the main job --------------------------------------------------------------------------

.PHONY: demo
demo: setup ## Import, attest and tamper: the main job, on a real and on a large extraction
	@$(BIN)/survey-fast demo

# ---- checks --------------------------------------------------------------------------------

.PHONY: test
test: setup lint types test-rust check-fuzz test-python ## Everything that must hold before a change lands

.PHONY: test-fast
test-fast: setup ## The Python tests without the slow ones, few examples each
	HYPOTHESIS_PROFILE=dev $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m 'not slow'

.PHONY: test-python
test-python: setup
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

.PHONY: test-rust
test-rust: setup
	cargo test --workspace --locked --quiet

.PHONY: check-fuzz
check-fuzz: cargo
	cargo check $(FUZZ) --locked --quiet --no-default-features --target-dir target/fuzz-check

.PHONY: fmt
fmt: setup rust-tools ## Lay out Rust and Python
	cargo fmt --all
	cargo fmt $(FUZZ)
	$(BIN)/ruff check --quiet --select I --fix $(CODE)
	$(BIN)/ruff format $(CODE)

.PHONY: lint
lint: setup rust-tools ## Layout, lints and the direction of imports
	cargo fmt --all --check
	cargo fmt $(FUZZ) --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/lint-imports --no-cache

.PHONY: types
types: setup ## Types, and the extension's stub against the extension
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest survey_fast._core --mypy-config-file pyproject.toml

# Asks a published program about our bundles, so it needs node, npm and their registry.
.PHONY: interop
interop: setup ## Have the published npm package accept our bundles (node, npm, network)
	@$(BIN)/python -m tests.interop $(if $(OPTIONAL),--optional)

# ---- measuring and searching ----------------------------------------------------------------

.PHONY: bench
bench: setup ## Measure, and print the ratios to the baselines
	@mkdir -p build
	$(BIN)/python -m pytest benches -q --benchmark-enable --benchmark-only --timeout 0 --benchmark-json build/bench.json
	$(BIN)/python -m benches.report build/bench.json

.PHONY: fuzz
fuzz: $(addprefix fuzz-,$(FUZZ_TARGETS)) ## Run each fuzz target for SECONDS seconds

# No sanitizer, which would need a nightly toolchain: the core has no unsafe code to sanitize.
fuzz-%: $(TOOLS)/bin/cargo-fuzz
	@mkdir -p rust/fuzz/corpus/$*
	PATH="$(CURDIR)/$(TOOLS)/bin:$$PATH" cargo fuzz run --sanitizer none --fuzz-dir rust/fuzz --target-dir target/fuzz \
	  $* rust/fuzz/corpus/$* $(SEEDS_$*) -- -max_total_time=$(SECONDS) -timeout=10 -max_len=65536 -dict=rust/fuzz/$*.dict

$(TOOLS)/bin/cargo-fuzz: | cargo
	cargo install cargo-fuzz --version '^0.13.2' --locked --quiet --root $(TOOLS)

.PHONY: clean
clean: ## Remove everything that these targets made
	rm -rf $(VENV) $(TOOLS) target build rust/fuzz/target rust/fuzz/corpus rust/fuzz/artifacts
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .import_linter_cache
	rm -f $(EXTENSION)
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
