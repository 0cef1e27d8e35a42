# wormscope: build, look, test, measure. `make help` lists what there is.

CARGO ?= cargo
WORMSCOPE = target/release/wormscope
DEMO = mesh_16x16_multicast

.PHONY: help build demo test lint bench figures waves fuzz soak doc clean

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build the release binary, target/release/wormscope
	$(CARGO) build --release --bin wormscope

demo: build ## Run the main job: a 16x16 mesh, multicasts amid unicast traffic, waveforms into waves/
	$(WORMSCOPE) run configs/$(DEMO).ron --wave waves/$(DEMO).fst --wave waves/$(DEMO).vcd --follow 111 \
		--json waves/$(DEMO).json --csv waves/$(DEMO).csv

test: ## Run every test, ending in a summary line
	@./.ci/test

lint: ## Formatting, clippy, documentation
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items

bench: ## Measure speed: criterion, then whole processes
	$(CARGO) bench --bench flit_hops
	$(CARGO) bench --bench whole_process
	$(CARGO) bench --bench tracing

figures: build ## Draw docs/networks/*.svg
	for network in docs/networks/*.ron; do $(WORMSCOPE) check $$network --svg $${network%.ron}.svg || exit; done

waves: demo ## Draw the demo as waves/*.png (needs gtkwave, Xvfb, openbox, imagemagick, xdotool)
	waves/screenshot.sh waves/$(DEMO).gtkw waves/$(DEMO).png

fuzz: ## Fuzz the configuration and trace readers for a minute each (needs cargo-fuzz and a nightly toolchain)
	@command -v cargo-fuzz >/dev/null || { echo "make fuzz needs cargo-fuzz: cargo install cargo-fuzz"; exit 2; }
	cd fuzz && $(CARGO) +nightly fuzz run config -- -max_total_time=60 && $(CARGO) +nightly fuzz run trace -- -max_total_time=60

soak: ## The property tests with a hundred times the cases, 100,000 random multicast sets with tokens
	PROPTEST_CASES=10000 ATBM_SETS=100000 $(CARGO) test --release --workspace

doc: ## Build the library's documentation
	$(CARGO) doc --workspace --no-deps

clean: ## Remove what was built and dumped
	$(CARGO) clean
	rm -f waves/*.vcd waves/*.fst waves/*.gtkw waves/*.json waves/*.csv waves/*.txt waves/*.png
