# wormscope: build, look, test, measure. `make help` lists all targets.

CARGO ?= cargo
WORMSCOPE = target/release/wormscope
DEMOS = mesh_16x16_multicast bi_min_64_8x8_atbm

# A first build takes a quarter less time without incremental compilation. If an incremental build
# exists, later builds stay incremental.
ifeq ($(wildcard target/debug/incremental),)
export CARGO_INCREMENTAL ?= 0
endif

.PHONY: help build demo test test-page test-rtl sample-rtl soak-rtl prove-rtl mutants-rtl test-statistics test-ucis test-sva page test-cluster testbenches booksim floonoc basejump mutants lint prose bench figures reference waves fuzz soak doc book release install-check clean

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build the release binary, target/release/wormscope
	$(CARGO) build --release --bin wormscope

demo: mesh_16x16_multicast.demo bi_min_64_8x8_atbm.demo ## Run the main jobs: multicasts beside unicasts in a mesh and in a BI-MIN; waveforms go into waves/

# This binary is for a first look. It is unoptimised and has no PNG, and takes half the time of
# `make build`.
.PHONY: target/demo/wormscope
target/demo/wormscope:
	$(CARGO) build --profile demo --no-default-features --bin wormscope

# All three viewers open at the slowest worm of the run, which is a multicast in both demos.
%.demo: target/demo/wormscope
	$< run configs/$*.ron --wave waves/$*.fst --wave waves/$*.vcd --follow slowest \
		--json waves/$*.json --csv waves/$*.csv
	$< view configs/$*.ron -o waves/$*.html
	@moment=$$(sed -n 's/.*of wormscope view: //p' waves/$*.gtkw | head -n 1); \
	echo; echo "open the slowest multicast of $* in one of these:"; \
	echo "  a browser: $(CURDIR)/waves/$*.html$$moment"; \
	echo "  GTKWave:   gtkwave waves/$*.gtkw"; \
	echo "  Surfer:    cd waves; surfer --command-file $*.sucl $*.fst"; echo

test: ## Run every test and print a summary line
	@./.ci/test

test-page: ## Test the pages of `wormscope report` and `wormscope view` in headless Chromium (needs chromium, chromedriver, Python 3 and npm)
	@for tool in chromium chromedriver python3 npm; do \
		command -v $$tool >/dev/null || { echo "make test-page needs $$tool: apt install chromium chromium-driver python3 npm"; exit 2; }; \
	done
	test -e src/page/view/page/node_modules/axe-core || (cd src/page/view/page && npm ci --no-audit --no-fund)
	$(CARGO) test --workspace --no-run # builds the program of the tests once for both
	python3 testbenches/page/test_page.py target/debug/wormscope $(SCREENSHOT)
	python3 testbenches/page/test_sweeps.py target/debug/wormscope
	python3 testbenches/page/test_view.py target/debug/wormscope $(SCREENSHOTS)

# Networks that are linted and built, and runs of each.
RTL_LINTS = 20
RTL_NETWORKS = 6
RTL_SEEDS = 50

test-rtl: ## Lint the SystemVerilog of random networks, compare its registers with the model, plant faults into it, and run cocotb and FuseSoC (needs Verilator, Icarus Verilog, Python 3, cocotb 2 and FuseSoC)
	@for tool in verilator iverilog python3; do \
		command -v $$tool >/dev/null || { echo "make test-rtl needs $$tool: apt install verilator iverilog python3"; exit 2; }; \
	done
	@python3 -c 'import cocotb_tools.runner' 2>/dev/null || { echo "make test-rtl needs cocotb 2: pip install cocotb"; exit 2; }
	@command -v fusesoc >/dev/null || { echo "make test-rtl needs FuseSoC: pip install fusesoc"; exit 2; }
	$(CARGO) test --workspace --no-run # builds the program of the tests
	testbenches/rtl/lockstep.py target/debug/wormscope --lint --networks $(RTL_LINTS)
	testbenches/rtl/lockstep.py target/debug/wormscope --shelf --simulator icarus
	testbenches/rtl/lockstep.py target/debug/wormscope --networks $(RTL_NETWORKS) --seeds $(RTL_SEEDS)
	testbenches/rtl/lockstep.py target/debug/wormscope --faults --simulator icarus
	testbenches/rtl/lockstep.py target/debug/wormscope --cocotb
	testbenches/rtl/lockstep.py target/debug/wormscope --fusesoc

sample-rtl: ## Compare 100 cycles of the networks of testbenches/rtl with the model, and three planted faults, with Icarus Verilog (needs iverilog and Python 3)
	@for tool in iverilog python3; do \
		command -v $$tool >/dev/null || { echo "make sample-rtl needs $$tool: apt install iverilog python3"; exit 2; }; \
	done
	$(CARGO) test --workspace --no-run # builds the program of the tests
	testbenches/rtl/lockstep.py target/debug/wormscope --shelf --simulator icarus --cycles 100
	testbenches/rtl/lockstep.py target/debug/wormscope --faults --simulator icarus --every 64

soak-rtl: build ## Compare the SystemVerilog of a thousand random networks with the model, a million router cycles each; goes on after a stop; RTL_SEED=1 chooses the networks
	testbenches/rtl/lockstep.py $(WORMSCOPE) --networks 1000 --seeds 300 --cycles 10000 --router-cycles 1020000 \
		--largest 4000 --seed $(or $(RTL_SEED),1) --state target/soak-rtl-$(or $(RTL_SEED),1).jsonl

prove-rtl: ## Prove assertions about the blocks in SystemVerilog by induction (needs Yosys, z3 and Python 3)
	testbenches/rtl/prove.py
	testbenches/rtl/prove.py --faults

mutants-rtl: ## Plant 1,000 single-gate faults into synthesised switches, and count those that lock step catches (needs Yosys, Verilator and Python 3)
	@for tool in yosys verilator python3; do \
		command -v $$tool >/dev/null || { echo "make mutants-rtl needs $$tool: apt install yosys verilator python3"; exit 2; }; \
	done
	$(CARGO) test --workspace --no-run # builds the program of the tests
	testbenches/rtl/mutants.py target/debug/wormscope --survivors target/mutants-rtl.txt

page: ## Build the script of the page of `wormscope view` from its TypeScript (needs Node and npm)
	cd src/page/view/page && npm ci --no-audit --no-fund && npm run build

test-statistics: build ## Recompute fronts, effects and gains with pandas and statsmodels (needs Python 3 with pandas, scipy and statsmodels)
	@python3 -c 'import pandas, scipy, statsmodels' 2>/dev/null || { echo "make test-statistics needs pandas, scipy and statsmodels: pip install pandas scipy statsmodels"; exit 2; }
	python3 testbenches/statistics/compare.py $(WORMSCOPE)

test-sva: build ## Run the assertions of `wormscope test --sva` on dumped signals with Verilator (needs verilator, a C++ compiler, fst2vcd of GTKWave and Python 3)
	@for tool in verilator g++ fst2vcd python3; do \
		command -v $$tool >/dev/null || { echo "make test-sva needs $$tool: apt install verilator g++ gtkwave python3"; exit 2; }; \
	done
	python3 testbenches/sva/round_trip.py $(WORMSCOPE)

test-cluster: build ## Try the recipes of configs/cluster with Slurm, Snakemake and Dask on this machine (needs slurm-wlm, snakemake and distributed)
	testbenches/cluster/test.sh $(WORMSCOPE)

test-ucis: build ## Read coverage as UCIS XML back with PyUCIS (needs Python 3 with pyucis)
	@python3 -c 'import ucis' 2>/dev/null || { echo "make test-ucis needs PyUCIS: pip install pyucis"; exit 2; }
	testbenches/ucis/read_back.py $(WORMSCOPE)

lint: prose ## Check the format, clippy, the documentation, and all that `make prose` checks
	$(CARGO) fmt --all --check
	# `testbenches/units` has the unit tests of `wormscope`.
	$(CARGO) clippy --workspace --exclude wormscope --all-targets -- -D warnings
	$(CARGO) clippy --no-default-features --package wormscope --package wormscope-cli --lib --bins --examples -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items

prose: .ci/prose/node_modules/.package-lock.json ## Check the links of all pages, and the sentences and words of pages, of --help and of comments (needs Node 20 and npm)
	npm --prefix .ci/prose run --silent check

.ci/prose/node_modules/.package-lock.json: .ci/prose/package-lock.json
	@command -v npm >/dev/null || { echo "make prose needs Node 20 and npm: apt install npm"; exit 2; }
	cd .ci/prose && npm ci --no-audit --no-fund

# Runs of each row of benches/paired.py.
bench: REPEAT = 5
bench: build ## Measure speed: criterion, then whole processes, REPEAT=5 times, beside BASELINE=path/to/older/wormscope and BOOKSIM=path/to/booksim (benches/paired.py needs Linux and Python 3)
	@for program in $(BASELINE) $(BOOKSIM); do test -x $$program || { echo "make bench: $$program is no program"; exit 2; }; done
	$(CARGO) bench --bench flit_hops
	$(CARGO) bench --bench whole_process
	$(CARGO) bench --bench tracing
	$(CARGO) bench --bench plans
	benches/paired.py $(WORMSCOPE) --repeat $(REPEAT) $(BASELINE:%=--baseline %) $(BOOKSIM:%=--booksim %)
	$(MAKE) testbenches REPEAT=10

REPEAT = 1

testbenches: build ## Run every testbench; REPEAT=10 runs each with ten seeds, over a thousand runs
	$(WORMSCOPE) test testbenches --repeat $(REPEAT)

booksim: build ## Compare the accepted load beyond saturation with BookSim's: BOOKSIM=path/to/booksim, see testbenches/booksim
	@test -x "$(BOOKSIM)" || { echo "make booksim needs BookSim 2.0: make booksim BOOKSIM=path/to/booksim (testbenches/booksim/README.md)"; exit 2; }
	testbenches/booksim/compare.py $(BOOKSIM) $(WORMSCOPE)

floonoc: ## Compare the router with FlooNoC's, flit by flit: FLOONOC, COMMON_CELLS and AXI are checkouts, see testbenches/floonoc (needs Verilator, git and Python 3)
	@test -f "$(FLOONOC)/hw/floo_router.sv" || { echo "make floonoc needs checkouts: testbenches/floonoc/README.md"; exit 2; }
	$(CARGO) test --workspace --no-run # builds the program of the tests
	testbenches/floonoc/compare.py "$(FLOONOC)" "$(COMMON_CELLS)" "$(AXI)" $(RUNS:%=--runs %)

basejump: ## Compare the router with BaseJump STL's, flit by flit: BASEJUMP=path/to/basejump_stl, see testbenches/basejump (needs Verilator, git and Python 3)
	@test -f "$(BASEJUMP)/bsg_noc/bsg_wormhole_router.sv" || { echo "make basejump needs a checkout: make basejump BASEJUMP=path/to/basejump_stl (testbenches/basejump/README.md)"; exit 2; }
	$(CARGO) test --workspace --no-run # builds the program of the tests
	testbenches/basejump/compare.py "$(BASEJUMP)" $(RUNS:%=--runs %)

mutants: ## Plant faults and the mutants of cargo-mutants into the hardware, and see which tests find them: docs/explain/faults.md (needs cargo-mutants)
	@command -v cargo-mutants >/dev/null || { echo "make mutants needs cargo-mutants: cargo install cargo-mutants --locked"; exit 2; }
	$(CARGO) run --profile faults --package wormscope-faults

figures: build ## Draw the pictures of docs/reference/networks, docs/explain/deadlocks and docs/explain/multicast; do the studies of docs/explain/studies.md, and quick versions of the papers' figures
	for network in docs/reference/networks/*.ron; do $(WORMSCOPE) check $$network --svg $${network%.ron}.svg || exit; done
	for picture in docs/explain/deadlocks/*.svg; do \
		$(WORMSCOPE) deadlock configs/$$(basename $$picture .svg)_deadlock.ron --before 0 --svg $$picture >/dev/null; test $$? = 3 || exit 1; \
	done
	sed -n 's/^\($$ \)\?wormscope \(.* --svg .*\)/\2/p' docs/explain/multicast.md | while read -r command; do \
		$(WORMSCOPE) $$command >/dev/null || exit 1; \
	done
	folder=$$(mktemp -d) && ln -s $(CURDIR)/configs $(CURDIR)/docs $$folder && cd $$folder && \
	sed -n 's/^wormscope //p' docs/explain/studies.md | while read -r command; do \
		eval "$(CURDIR)/$(WORMSCOPE) $$command" >/dev/null || test $$? = 3 || exit 1; \
	done && rm -r $$folder
	$(WORMSCOPE) reproduce --quick --publish docs/explain

reference: ## Write the generated pages of docs/reference: configuration.md, coverage.md, help.md and metrics.md
	UPDATE_REFERENCE=1 $(CARGO) test --workspace --test command_line -- reference::

waves: demo ## Draw the demos as waves/*.png (needs gtkwave, Xvfb, openbox, imagemagick, xdotool)
	for demo in $(DEMOS); do waves/screenshot.sh waves/$$demo.gtkw waves/$$demo.png || exit; done

fuzz: ## Fuzz the configuration and trace readers for a minute each (needs cargo-fuzz and a nightly toolchain)
	@command -v cargo-fuzz >/dev/null || { echo "make fuzz needs cargo-fuzz: cargo install cargo-fuzz"; exit 2; }
	cd fuzz && $(CARGO) +nightly fuzz run config -- -max_total_time=60 && $(CARGO) +nightly fuzz run trace -- -max_total_time=60

soak: ## Run the property tests with a hundred times the cases: 100,000 random multicast sets with tokens, runs of both engines, cases for each deadlock judge, and pages of 1,000 configurations
	PROPTEST_CASES=10000 ATBM_SETS=100000 ORACLE_CASES=50000 REFERENCE_CASES=50000 EXHAUSTIVE_CASES=50000 PROVE_CASES=2000 AGREEMENT_CASES=100000 SATURATION_SEEDS=50 $(CARGO) test --release --workspace
	PAGE_CASES=1000 $(MAKE) test-page

doc: ## Build the library's documentation
	$(CARGO) doc --workspace --no-deps

# Version of mdBook for which the book is written.
MDBOOK_VERSION = 0.4.52

book: ## Build the pages of docs/ as a site with search, target/book/index.html (needs mdBook and Python 3)
	@test "$$(mdbook --version 2>/dev/null)" = "mdbook v$(MDBOOK_VERSION)" || { echo "make book needs mdBook $(MDBOOK_VERSION): cargo install mdbook --version $(MDBOOK_VERSION) --locked"; exit 2; }
	@command -v python3 >/dev/null || { echo "make book needs Python 3: apt install python3"; exit 2; }
	python3 .ci/book/build.py

release: ## Build the archive of a release, the same bytes in every clone: target/release-archives (needs cargo-about and GNU tar)
	.ci/release/build

install-check: ## Install the program into target/installed as `cargo install` does, and see that it is stripped (needs file)
	@command -v file >/dev/null || { echo "make install-check needs file: apt install file"; exit 2; }
	$(CARGO) install --locked --path src/cli --root target/installed --force
	file --brief target/installed/bin/wormscope | grep ', stripped$$'
	target/installed/bin/wormscope --version
	@echo "$$(($$(stat -c %s target/installed/bin/wormscope) / 1000000)) MB"

clean: ## Remove builds and dumps
	$(CARGO) clean
	rm -rf waves/.surfer waves/*.vcd waves/*.fst waves/*.gtkw waves/*.sucl waves/*.json waves/*.csv waves/*.txt waves/*.log waves/*.png
