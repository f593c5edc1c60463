# `make help` lists what there is. What takes more than a few lines is a script in tools/.

# The VM to build for and to run the example in: luajit, lua5.1 or lua5.4.
LUA = luajit
EXAMPLE = hello
# The VMs that are tested and linted, as cargo's features name them.
VMS = luajit lua51 lua54
SUITES = $(VMS:%=rust-%) $(VMS:%=fnl-%) $(VMS:%=lua-%) python typescript

VM := $(subst .,,$(LUA))
RUST := $(shell find src -name '*.rs') build.rs Cargo.toml Cargo.lock
MACROS := $(shell find fnl -name '*macros.fnl')
COMPILED := $(patsubst fnl/%.fnl,lua/%.lua,$(filter-out $(MACROS),$(shell find fnl -name '*.fnl')))
ORPHANS := $(filter-out $(COMPILED),$(shell find lua -name '*.lua' 2>/dev/null))

$(if $(filter $(LUA),luajit lua5.1 lua5.4),,$(error LUA=$(LUA) is not one of luajit, lua5.1, lua5.4))

MAKEFLAGS += --no-print-directory
.NOTPARALLEL:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: help deps build lua run test check lint fmt clean

help: ## what you are reading
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 14

deps: .deps/test .deps/bin/fennel .deps/python .deps/npm ## what building and testing need (every target gets its own)

build: build/$(VM)/moonport_core.so ## the native library, for LUA=luajit, lua5.1 or lua5.4

lua: $(COMPILED) ## fnl/ compiled to lua/, for hosts without Fennel
	@$(if $(ORPHANS),rm $(ORPHANS) && find lua -type d -empty -delete)

run: .deps/bin/fennel build lua ## a live program with an MCP server inside: EXAMPLE=hello PORT=7331 FRAMES=600
	@exec tools/run.sh $(LUA) .deps/bin/fennel --add-package-path 'lua/?.lua;lua/?/init.lua' examples/$(EXAMPLE)/main.fnl

test: .deps/test ## everything: each of SUITES, and the sum
	@rm -rf build/logs
	@$(MAKE) --keep-going $(SUITES:%=test-%) || true
	@tools/sum.sh $(SUITES)

check: ## the fast part of the tests, for the working loop
	@$(MAKE) test SUITES='rust-luajit fnl-luajit'

lint: .deps/test .deps/bin/fennel ## formatting, clippy, docs, strict globals, stale or unloadable lua/
	@tools/lint.sh $(VMS)

fmt: ## format the Rust code
	@cargo fmt

clean: ## remove what was built; what was downloaded stays in .deps/
	@rm -rf build target

# A suite is a target `test-NAME` that runs under tools/suite.sh, and its NAME in SUITES.

test-rust-%: .deps/test
	@tools/suite.sh rust-$* cargo test --no-default-features --features $* -- --quiet

test-fnl-%: build/%/moonport_core.so .deps/test .deps/bin/fennel
	@tools/suite.sh fnl-$* $(subst lua5,lua5.,$*) .deps/bin/fennel spec/run.fnl fnl

test-lua-%: build/%/moonport_core.so lua .deps/test .deps/bin/fennel
	@tools/suite.sh lua-$* $(subst lua5,lua5.,$*) .deps/bin/fennel spec/run.fnl lua

test-python: build/luajit/moonport_core.so lua .deps/python
	@tools/suite.sh python .deps/py/bin/python spec/clients/python/run.py

test-typescript: build/luajit/moonport_core.so lua .deps/npm
	@tools/suite.sh typescript node spec/clients/typescript/run.mjs

# A running host has the library mapped: it gets a new file, never new bytes in the old one.
build/%/moonport_core.so: $(RUST) | .deps/run-$(LUA)
	cargo build --release --no-default-features --features $*,module
	@mkdir -p $(@D)
	@cp "$${CARGO_TARGET_DIR:-target}/release/libmoonport_core.so" $@.new
	@mv $@.new $@

lua/%.lua: fnl/%.fnl $(MACROS) tools/compile.sh tools/globals.txt | .deps/bin/fennel
	tools/compile.sh lua $<

.deps/run-%: tools/deps.sh
	@tools/deps.sh run $*
	@mkdir -p .deps
	@touch $@

.deps/test: tools/deps.sh
	@tools/deps.sh test
	@mkdir -p .deps
	@touch $@

.deps/bin/fennel: | .deps/run-$(LUA)
	@tools/fennel.sh

.deps/python: spec/clients/python/requirements.txt | .deps/test
	python3 -m venv --clear .deps/py
	.deps/py/bin/pip install --quiet --no-deps --only-binary :all: --requirement $<
	@touch $@

.deps/npm: spec/clients/typescript/package-lock.json | .deps/test
	cd $(<D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@
