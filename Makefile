# Two commands on a fresh machine: `make demo` and `make test`. Both need Python 3.11 and a C++20 compiler.
PYTHON ?= python3
VENV := .venv
SANITIZE := .venv-sanitize
BENCH := .bench
# An environment is made and built into by one make at a time: a second one waits here, and then finds it done.
LOCK := .make.lock
LOCKED := $(if $(shell command -v flock),flock $(LOCK)) $(MAKE) --no-print-directory
# Each environment has a build folder of its own, so that two of them can be built at the same time. The pip of Debian 12 has no -C.
# Compiling takes most of the time of a first `make`, so it is shown.
PIP = $(PYTHON) tools/with_progress.py $(1)/build.log $(1)/bin/pip install -v --no-build-isolation --config-settings=build-dir=$(1)
INSTALL = $(PIP)/build
ENGINE := $(sort $(shell find engine -name '*.?pp'))
CORE := $(filter-out engine/bindings/%,$(filter %.cpp,$(ENGINE)))
SOURCES := CMakeLists.txt pyproject.toml $(ENGINE) \
           $(shell find src -type f -not -name '*.so' -not -path '*/__pycache__/*')
# One more than there are cores: many tests wait for a process, a browser or a signal.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 1) + 1)
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
# Every pip below installs the versions that were tested.
export PIP_CONSTRAINT := constraints.txt

# Files of the engine that changed lately: what `make lint` looks into deeply. Thirty commits are more than a change has, and few of
# them touch the engine. A file that was moved has not changed; where the history is shorter, every file has.
SINCE ?= HEAD~30
CHANGED = $(if $(shell git rev-parse -q --verify $(SINCE)),$(shell git diff --name-only --diff-filter=AM -M80% $(SINCE) -- \
            'engine/*.?pp' ':!engine/bindings'),$(CORE))
TIDY = xargs -r -P 2 -n 2 $(VENV)/bin/clang-tidy --quiet --config-file=.clang-tidy -p
CONFIGURE = $(VENV)/bin/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(VENV))/bin/ninja

.PHONY: demo test lint analyze format develop stub sanitize bench clean

demo:
	$(LOCKED) $(VENV)/.demo
	$(VENV)/bin/schedlab demo

test:
	$(LOCKED) $(VENV)/.test
	$(VENV)/bin/python -m pytest -n $(WORKERS)

# Headers are most of what there is to parse, so the whole engine is checked a dozen files at once, in a quarter of the time. That
# leaves out the path-sensitive analyzer (five times as long as all else) and unused constants, aliases and usings of a file:
# clang-tidy looks for these only in the file that it is given. Files that changed since SINCE are given one by one.
lint: $(VENV)/tidy
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/clang-format --dry-run --Werror $(ENGINE)
	$(VENV)/bin/python tools/engine_folders.py
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	ls $(VENV)/tidy/dozens/CMakeFiles/schedlab_core.dir/Unity/*.cxx | $(TIDY) $(VENV)/tidy/dozens --checks='-clang-analyzer-*'
	echo $(CHANGED) | $(TIDY) $(VENV)/tidy/files

# Every check in every file of the engine: 8 minutes.
analyze: $(VENV)/tidy
	echo $(CORE) | $(TIDY) $(VENV)/tidy/files

.PHONY: $(VENV)/tidy
$(VENV)/tidy:
	$(LOCKED) $(VENV)/.lint
	$(CONFIGURE) -B $@/files >/dev/null
	$(CONFIGURE) -B $@/dozens -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 >/dev/null

format:
	$(LOCKED) $(VENV)/.lint
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format
	$(VENV)/bin/clang-format -i $(ENGINE)

# For work on the engine: files are compiled one by one and not optimized together, so that after a change of one file the
# extension is there in 3 seconds, not in 30; then `.venv/bin/python -m pytest tests/...`. Every other target makes the release build.
develop:
	$(LOCKED) $(VENV)/develop

# The extension's types, for editors and mypy; written into the source folder and committed.
stub:
	$(LOCKED) $(VENV)/stub

.PHONY: $(VENV)/develop $(VENV)/stub
# The environment then has the engine of a developer: whatever needs the release build makes it again. The stamp goes first, so that it
# is gone even where this build fails.
$(VENV)/develop: $(VENV)/.build-tools
	rm -f $(VENV)/.demo
	$(call PIP,$(VENV))/build-develop --force-reinstall --no-deps --config-settings=cmake.define.SCHEDLAB_LTO=OFF \
	  --config-settings=cmake.define.SCHEDLAB_UNITY=OFF .
	$(VENV)/bin/pip install -q 'schedlab[test]'

$(VENV)/stub: $(VENV)/.build-tools
	$(call INSTALL,$(VENV)) --force-reinstall --no-deps --config-settings=cmake.define.SCHEDLAB_STUB=ON .

# The tests of the engine and of all that it reads, under the address and undefined-behaviour sanitizers, with every invariant
# checked after every dispatcher call. What counts here is which lines run, so properties are tried with few examples, and tests
# that take long without running further lines of the engine (unsanitized) are left to `make test`, and so is most of tests/system:
# files of machines are read in Python.
sanitize:
	$(LOCKED) $(SANITIZE)/.test
	LD_PRELOAD="$(foreach lib,asan ubsan stdc++,$(shell g++ -print-file-name=lib$(lib).so))" \
	PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 HYPOTHESIS_PROFILE=sanitize \
	$(SANITIZE)/bin/python -m pytest -n auto -m "not whole_trace and not unsanitized" tests/engine tests/workload/*.py \
	  tests/workload/formats/test_swf_tables.py tests/system/network tests/dispatch tests/simulation

bench:
	$(LOCKED) $(BENCH)/schedlab/.installed $(BENCH)/accasim/.installed
	$(BENCH)/schedlab/bin/python benchmarks/bench.py

$(VENV)/.build-tools:
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install -q $(BUILD_TOOLS)
	touch $@

$(VENV)/.demo: $(VENV)/.build-tools $(SOURCES)
	$(call INSTALL,$(VENV)) '.[plot]'
	touch $@

# The package is there by now: these only add what its extras name, and leave it alone while it may be in use.
$(VENV)/.test: $(VENV)/.demo
	$(VENV)/bin/pip install -q 'schedlab[test]'
	touch $@

$(VENV)/.lint: $(VENV)/.test
	$(VENV)/bin/pip install -q 'schedlab[test,lint]'
	touch $@

$(SANITIZE)/.test: $(SOURCES)
	test -d $(SANITIZE) || $(PYTHON) -m venv $(SANITIZE)
	$(SANITIZE)/bin/pip install -q $(BUILD_TOOLS)
	$(call INSTALL,$(SANITIZE)) --config-settings=cmake.build-type=Debug \
	  --config-settings=cmake.define.SCHEDLAB_SANITIZE=ON --config-settings=cmake.define.SCHEDLAB_VALIDATE=ON '.[test]'
	touch $@

$(BENCH)/schedlab/.installed: $(SOURCES)
	test -d $(BENCH)/schedlab || $(PYTHON) -m venv $(BENCH)/schedlab
	$(BENCH)/schedlab/bin/pip install -q .
	touch $@

$(BENCH)/accasim/.installed:
	$(PYTHON) -m venv $(BENCH)/accasim
	PIP_CONSTRAINT= $(BENCH)/accasim/bin/pip install -q accasim==1.1.3
	touch $@

clean:
	rm -rf $(VENV) $(SANITIZE) $(BENCH) $(LOCK) demo-run .mypy_cache .ruff_cache .pytest_cache .hypothesis
