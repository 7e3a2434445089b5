# TrustLab: see, step through and assert why a TLS connection is trusted or refused.
#
# 'make run' and 'make test' install what is missing and build; nothing else is needed.

SCENARIO ?= L1-15
SWIFT ?= swift
PREFIX ?= /usr/local
# Suites that look at every case where another looks at some: each test is in one of the two tiers.
SWEEPS = 'Sweep/'
VENV = Notebooks/.venv

.PHONY: help run test test-more lint format bench same-bytes notebooks jupyter install setup setup-test setup-bench

help: ## Print these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## Build and play a scenario: make run SCENARIO=L1-01
	@$(SWIFT) build --product trustlab
	@.build/debug/trustlab run $(SCENARIO) || test $$? -eq 1

test: setup setup-test ## Build and run the tests, but for the long sweeps
	$(SWIFT) test --skip $(SWEEPS)

test-more: setup setup-test ## Build and run the long sweeps, which 'make test' leaves out
	$(SWIFT) test --filter $(SWEEPS)

lint: ## Check the format of the sources
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

format: ## Format the sources
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

bench: setup setup-bench ## Measure beside GMP in C, OpenSSL and swift-certificates
	$(SWIFT) build --configuration release --package-path Benchmarks
	Benchmarks/.build/release/bench $(BENCH_ARGUMENTS)

same-bytes: setup ## Compare what debug and release builds write
	$(SWIFT) build --product trustlab
	$(SWIFT) build --configuration release --product trustlab
	.ci/same-bytes .build/debug/trustlab .build/release/trustlab $(SAME_BYTES_ARGUMENTS)

notebooks: setup $(VENV)/ready ## Execute the notebooks, and compare their outputs with those that are stored
	@$(SWIFT) build --product trustlab
	TRUSTLAB=$(CURDIR)/.build/debug/trustlab $(VENV)/bin/python -m unittest discover -s Notebooks/kernel/tests -t Notebooks/kernel
	TRUSTLAB=$(CURDIR)/.build/debug/trustlab $(VENV)/bin/python Notebooks/execute $(NOTEBOOKS)

jupyter: setup $(VENV)/ready ## Open the notebooks in a browser
	@$(SWIFT) build --product trustlab
	$(VENV)/bin/pip install --quiet jupyterlab
	TRUSTLAB=$(CURDIR)/.build/debug/trustlab $(VENV)/bin/jupyter lab Notebooks

# A Python environment in the folder itself, which knows the kernel; nothing is installed elsewhere.
$(VENV)/ready: Notebooks/requirements.txt Notebooks/kernel/pyproject.toml
	@sh .ci/install python3 python3 python3 python3:ensurepip python3-venv python3
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement Notebooks/requirements.txt --editable Notebooks/kernel
	$(VENV)/bin/python -m trustlab_kernel install --sys-prefix
	@touch $@

install: setup ## Install the program and its scenarios below PREFIX
	$(SWIFT) build --configuration release --product trustlab
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/trustlab
	install .build/release/trustlab $(DESTDIR)$(PREFIX)/bin/trustlab
	cp -R Scenarios $(DESTDIR)$(PREFIX)/share/trustlab/

setup:
	@sh .ci/install gmp.h libgmp-dev gmp
	@sh .ci/install libedit.so.2 libedit2 libedit || true

setup-test:
	@sh .ci/install --peers \
		openssl openssl openssl \
		gnutls-cli gnutls-bin gnutls \
		python3 python3 python3 \
		python3:jsonschema python3-jsonschema python-jsonschema \
		python3:junitparser python3-junitparser python-junitparser \
		prove perl perl \
		keytool default-jre-headless openjdk \
		tshark tshark wireshark \
		curl curl curl

setup-bench:
	@sh .ci/install openssl/ssl.h libssl-dev openssl@3
