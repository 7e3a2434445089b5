# TrustLab: see, step through and assert why a TLS connection is trusted or refused.
#
# 'make run' and 'make test' install what is missing and build; nothing else is needed.

SCENARIO ?= L1-15
SWIFT ?= swift
# Each module is compiled whole: from nothing that takes a tenth less of the processor than file by file. 'make quick' builds
# file by file in a folder of its own, QUICK: in one folder, each kind of build would start from nothing after the other.
# With threads the objects are those of the files all the same, where the linker looks for them. The compiler remarks of every
# module that this is not incremental.
WHOLE = $(addprefix -Xswiftc ,-wmo -num-threads 2 -disable-batch-mode)
QUICK = .build-quick
# The build whose program the targets below run, and its folder. .ci/run names the one of the tests.
BUILD = $(SWIFT) build $(WHOLE)
BUILT = .build/debug
PROGRAM = $(CURDIR)/$(BUILT)/trustlab
PREFIX ?= /usr/local
# Suites that look at many cases where another looks at a few: each test is in one of the two tiers.
SWEEPS = 'Sweep/'
# Tests run with modules that are optimised, in a folder of their own: they take less than half of the time. Modules depend
# on each other in a chain, so each is compiled in parts, on all cores.
TESTS = .build-tests
OPTIMISED = --configuration release $(addprefix -Xswiftc ,-enable-testing -no-whole-module-optimization -enable-batch-mode)
TEST = $(SWIFT) test --scratch-path $(TESTS) $(OPTIMISED)
VENV = Notebooks/.venv

CHECKS = .ci/.venv
SPARK = Examples/spark/.venv
DIFFERENTIAL = Tests/InteropTests/Differential/.venv
# There is one form of release. On Linux it has Swift's libraries in it: it runs where no Swift is, and calls of them cost
# less. Apple's systems have those libraries themselves.
# What is built beside other builds has a folder of its own, RELEASED.
RELEASED = .build
# GMP is looked for beside the program first, where an archive has it.
RELEASE = --configuration release $(if $(filter Linux,$(shell uname -s)),\
  --static-swift-stdlib -Xlinker -rpath -Xlinker '$$ORIGIN/../lib/trustlab')

.PHONY: help run quick test test-more lint format bench same-bytes notebooks jupyter ci-files docs documents references spark
.PHONY: site web site-test spark-run release install install-files install-release dist archive setup setup-test setup-bench

help: ## Print these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## Build and play a scenario: make run SCENARIO=L1-01
	@$(BUILD) --product trustlab
	@$(PROGRAM) run $(SCENARIO) || test $$? -eq 1

quick: setup ## Build what changed, file by file, and run one suite: make quick SUITE=DiagramTests
	@test -n "$(SUITE)" || { echo "error: SUITE is missing"; echo "hint: make quick SUITE=DiagramTests"; exit 2; } >&2
	$(SWIFT) test --scratch-path $(QUICK) --filter '$(SUITE)'

# Swift Testing adds its own ending to the name of the report.
REPORT = $(TESTS)/tests
test: setup setup-test ## Build and run the tests, but for the long sweeps, and print the ten slowest
	@rm -f $(REPORT)-swift-testing.xml
	$(TEST) --skip $(SWEEPS) --xunit-output $(REPORT).xml; \
	  status=$$?; .ci/slowest $(REPORT)-swift-testing.xml; exit $$status

test-more: setup setup-test $(DIFFERENTIAL)/ready ## Build and run the long sweeps, which 'make test' leaves out
	$(TEST) --filter $(SWEEPS)

# The version of pyca cryptography that the classes of disagreement were written for.
$(DIFFERENTIAL)/ready: Tests/InteropTests/Differential/requirements.txt
	@sh .ci/install python3 python3 python3 python3:ensurepip python3-venv python3
	python3 -m venv $(DIFFERENTIAL)
	$(DIFFERENTIAL)/bin/pip install --quiet --requirement $<
	@touch $@

lint: ## Check the format of the sources, and that no phrase that is hard to read was added
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources
	.ci/prose

format: ## Format the sources
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

bench: setup setup-bench ## Measure beside GMP in C, OpenSSL and swift-certificates
	$(SWIFT) build $(RELEASE) --package-path Benchmarks
	Benchmarks/.build/release/bench $(BENCH_ARGUMENTS)

same-bytes: release ## Test the curriculum with a release build, and compare what it writes with what a debug build does
	$(RELEASED)/release/trustlab test Scenarios
	$(BUILD) --product trustlab
	.ci/same-bytes $(PROGRAM) $(RELEASED)/release/trustlab $(SAME_BYTES_ARGUMENTS)

notebooks: setup $(VENV)/ready ## Execute the notebooks, and compare their outputs with those that are stored
	@$(BUILD) --product trustlab
	TRUSTLAB=$(PROGRAM) $(VENV)/bin/python -m unittest discover -s Notebooks/kernel/tests -t Notebooks/kernel
	TRUSTLAB=$(PROGRAM) $(VENV)/bin/python Notebooks/execute $(NOTEBOOKS)

jupyter: setup $(VENV)/ready ## Open the notebooks in a browser
	@$(BUILD) --product trustlab
	$(VENV)/bin/pip install --quiet jupyterlab
	TRUSTLAB=$(PROGRAM) $(VENV)/bin/jupyter lab Notebooks

# A Python environment in the folder itself, which knows the kernel; nothing is installed elsewhere.
$(VENV)/ready: Notebooks/requirements.txt Notebooks/kernel/pyproject.toml
	@sh .ci/install python3 python3 python3 python3:ensurepip python3-venv python3
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement Notebooks/requirements.txt --editable Notebooks/kernel
	$(VENV)/bin/python -m trustlab_kernel install --sys-prefix
	@touch $@

ci-files: $(CHECKS)/ready ## Hold the action, the hooks, the examples for CIs and Package.swift against what they stand for
	.ci/imports
	$(CHECKS)/bin/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(CHECKS)/bin/check-jsonschema --builtin-schema vendor.github-workflows Examples/CI/github-workflow.yml
	$(CHECKS)/bin/check-jsonschema --builtin-schema vendor.gitlab-ci Examples/CI/gitlab-ci.yml
	$(CHECKS)/bin/pre-commit validate-manifest .pre-commit-hooks.yaml

$(CHECKS)/ready:
	@sh .ci/install python3 python3 python3 python3:ensurepip python3-venv python3
	python3 -m venv $(CHECKS)
	$(CHECKS)/bin/pip install --quiet check-jsonschema pre-commit
	@touch $@

docs: setup ## Make the documentation of all library products with DocC; a warning is an error
	@$(BUILD)
	.ci/documentation $(BUILT)

documents: setup ## Run the console blocks of the documents and follow their links
	@$(BUILD) --product trustlab
	.ci/documents links
	.ci/documents check $(PROGRAM)

references: setup ## Make the pages and pictures of the documents that come from the program's tables
	@$(BUILD) --product trustlab
	.ci/references $(PROGRAM)

SITE = .build/site
BROWSER = Tests/SiteTests/Browser/.venv
site: release ## Write the curriculum as a static web site to .build/site, with a release build
	rm -rf $(SITE)
	$(RELEASED)/release/trustlab site --output $(SITE)

web: release ## Serve the site with the engine behind it, with a release build
	$(RELEASED)/release/trustlab web

site-test: site $(BROWSER)/ready ## Test the site in headless Chromium
	@sh .ci/install chromium chromium chromium chromedriver chromium-driver chromedriver
	SITE=$(SITE) TRUSTLAB=$(CURDIR)/$(RELEASED)/release/trustlab \
	  $(BROWSER)/bin/python -m unittest discover -s Tests/SiteTests/Browser -p '*_test.py'

$(BROWSER)/ready: Tests/SiteTests/Browser/requirements.txt
	@sh .ci/install python3 python3 python3 python3:ensurepip python3-venv python3
	python3 -m venv $(BROWSER)
	$(BROWSER)/bin/pip install --quiet --requirement $<
	@touch $@

spark: release $(SPARK)/ready ## Answer streams of requests under Apache Spark and GNU parallel, with a release build
	@sh .ci/install java default-jre-headless openjdk parallel parallel parallel
	@$(MAKE) spark-run PROGRAM=.build/release/trustlab

spark-run:
	$(SPARK)/bin/python Examples/spark/decide.py --program $(PROGRAM) $(SPARK_ARGUMENTS)
	$(SPARK)/bin/python Examples/spark/decide.py --program $(PROGRAM) --members verdict because $(SPARK_ARGUMENTS)
	$(SPARK)/bin/python Examples/spark/decide.py --program $(PROGRAM) --verify --lines 20000 $(SPARK_ARGUMENTS)
	$(SPARK)/bin/python Examples/spark/decide.py --program $(PROGRAM) --verify --lines 20000 \
	  --members verdict because $(SPARK_ARGUMENTS)
	$(SPARK)/bin/python Examples/spark/ndjson.py 5000 | Examples/spark/parallel $(PROGRAM) | \
	  $(SPARK)/bin/python Examples/spark/ndjson.py --check 5000

$(SPARK)/ready: Examples/spark/requirements.txt
	@sh .ci/install python3 python3 python3 python3:ensurepip python3-venv python3
	python3 -m venv $(SPARK)
	$(SPARK)/bin/pip install --quiet --requirement Examples/spark/requirements.txt
	@touch $@

release: setup ## Build the program as it is released
	$(SWIFT) build $(RELEASE) --scratch-path $(RELEASED) --product trustlab

install: release ## Install the program, its scenarios, documents, completion and manual page below PREFIX
	@$(MAKE) install-files PROGRAM=.build/release/trustlab

# What of a built program, PROGRAM, belongs where.
SHARE = $(DESTDIR)$(PREFIX)/share
install-files:
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/trustlab $(SHARE)/man/man1
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/trustlab
	cp -R Scenarios Site docs README.md CHANGELOG.md CONTRIBUTING.md $(SHARE)/trustlab/
	$(PROGRAM) --generate-completion-script bash > $(SHARE)/bash-completion/completions/trustlab
	$(PROGRAM) --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_trustlab
	$(PROGRAM) --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/trustlab.fish
	$(PROGRAM) manual > $(SHARE)/man/man1/trustlab.1

# A release archive is named by its commit, its system and its processor.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo 1)
ARCHIVE = trustlab-$(VERSION)-$(shell uname -s | tr A-Z a-z)-$(shell uname -m)
DIST ?= .build/dist
dist: release ## Make a release archive: the program with GMP, its scenarios, documents, completion, manual page, licences
	@$(MAKE) archive PROGRAM=.build/release/trustlab

archive:
	rm -rf $(DIST)/$(ARCHIVE)
	@$(MAKE) install-files DESTDIR=$(DIST)/$(ARCHIVE) PREFIX=
	strip $(DIST)/$(ARCHIVE)/bin/trustlab
	gmp=$$(ldd $(PROGRAM) 2> /dev/null | awk '/libgmp/ { print $$3 }'); \
	if [ -n "$$gmp" ]; then install -D "$$gmp" $(DIST)/$(ARCHIVE)/lib/trustlab/libgmp.so.10; fi; \
	.ci/licences $(DIST)/$(ARCHIVE)/share/doc/trustlab/licences $(RELEASED)/checkouts $$gmp
	tar -czf $(DIST)/$(ARCHIVE).tar.gz -C $(DIST) $(ARCHIVE)
	@echo $(DIST)/$(ARCHIVE).tar.gz

install-release: ## Install a release archive below PREFIX: make install-release FILE=trustlab-….tar.gz
	install -d $(DESTDIR)$(PREFIX)
	tar -xzf $(FILE) -C $(DESTDIR)$(PREFIX) --strip-components 1

setup:
	@sh .ci/install gmp.h libgmp-dev gmp
	@[ "$$(uname)" = Darwin ] || sh .ci/install zlib.h zlib1g-dev zlib
	@sh .ci/install libedit.so.2 libedit2 libedit || true

setup-test:
	@sh .ci/install --peers \
		openssl openssl openssl \
		gnutls-cli gnutls-bin gnutls \
		python3 python3 python3 \
		python3:jsonschema python3-jsonschema python-jsonschema \
		python3:junitparser python3-junitparser python-junitparser \
		python3:websockets python3-websockets python-websockets \
		prove perl perl \
		keytool default-jre-headless openjdk \
		tshark tshark wireshark \
		curl curl curl \
		nghttpd nghttp2-server nghttp2 \
		libarchive.so.13 libarchive13 libarchive

setup-bench:
	@sh .ci/install openssl/ssl.h libssl-dev openssl@3
