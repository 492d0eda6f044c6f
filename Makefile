# Everything runs in .venv, which is made when it is first needed: the machine needs Python 3.11 or newer, and make.
#
#   make help         print these lines; `make long` prints those of long runs
#   make tables       regenerate results/ from the corpus and the lowering tables
#   make test         run the tests, and a fixed part of what takes long (less than ten minutes on two cores)
#   make test-ROOM    run the tests of one room, such as test-litmus: a folder of tests/
#   make lint         ruff, mypy, and whether imports go one way
#   make docs         build the site of the documentation, with the playground inside: build/site/README.html
#   make playground   build the page on which axmem runs in a browser, into build/playground
#   make stale        list the pages of results/ that are older than what they are about, with what makes them and the
#                     minutes that it takes, and say so at their heads (seconds)
#   make ci           what continuous integration runs
#   make release      build the wheel and the source archive of the last commit into dist/, with a list of what they need
#                     (CycloneDX); check both, CITATION.cff, the action and the hooks; install both on every Python found
#   make clean        remove .venv and what tools leave behind
#
# Long runs, and what needs other tools:
#
#   make test-long    all that the tests draw at random, of which make test tries a part (tests/drawn.py),
#                     every generated test of up to four edges, every explanation, repairs without theorems, 3,000
#                     programs in both forms of the machine, 10,000 tests killed and resumed, the two
#                     definitions of converged instances on 12,000 graphs, 600 kernels run step by step, 1,000 before
#                     and after every transformation, 500 per target for what tables call redundant, the table of what may change places in every context, tags dropped
#                     from the corpus, every command on bad inputs and outputs, how late limits of time are on 26
#                     adversarial inputs, half an hour of damaged files, random options and random kernels, and more
#                     pages in a browser
#   make transforms     regenerate results/transforms.*: which transformations of loops are sound (half an hour)
#   make optimizations  regenerate results/optimizations.*: what LLVM may do to programs with memory (half an hour)
#   make theorems     regenerate results/theorems.*: what the documents claim, checked up to a bound (an hour)
#   make explanations   check each sentence of the explanations of the corpus and of 1,000 random tests (twenty minutes)
#   make mutants      regenerate results/mutants.md and replacements.md: which test each definition of the models decides,
#                     and each name in it
#   make controls     ask what says `sound` about 900 changes that are wrong, each of which it must call unsound
#   make trials       let random closed programs try to refute what is called sound, and what is proved of rows; PAIRS,
#                     CONTEXTS and GAME say how much (PAIRS=1000 CONTEXTS=200 GAME=3 takes hours)
#   make values       the same of PAIRS=400 random pairs of functions that differ in values, and lli-22; and of as many
#                     in which decides where pointers lead: 20 minutes
#   make pointers     judge what -O2 makes, pass by pass, of twenty functions with atomic pointers: lists, counts, locks
#                     (clang-22, opt-22; five minutes), and wrong changes of what comes out
#   make known        regenerate results/known.md: what refine answers of changes with known answers, and of those that
#                     are made from tables (three quarters of an hour)
#   make fuzz         compare the two engines on random programs until interrupted: threads, kernels, DMA operations,
#                     floating point, addresses that are values
#   make sources      compile 120 forms of the HIP and OpenCL sources in tests/sources at -O0 to -O3, and compare what
#                     check says with what is expected (clang; a quarter of an hour)
#   make verified-sources  regenerate results/sources.md: what verify answers of these sources as clang compiles them at
#                     -O2 and -O0 for five targets; SECONDS_EACH=60 is the limit of an answer, in CPU seconds (half an
#                     hour; what was found before it was interrupted is not asked again)
#   make c-functions  compile 2,000 random C functions with scoped atomics at -O0 to -O3, and compare what they leave in
#                     memory with lli-22, and what pairs of them may do at -O2 and at -O0 (an hour)
#   make necessity    regenerate results/verdicts, necessity, strategy, savings: whether lowerings are sound, and what of
#                     them is needed (half an hour); what was found before it was interrupted is not run again
#   make needs        regenerate results/needs: what the outcomes of twenty tests need (three minutes)
#   make usage DOCUMENT=AMDGPUUsage.rst  regenerate results/usage.md: LLVM 22's tables of code sequences beside the printed
#                     ones, and llc-22 (seconds); DOCUMENT is llvm/docs/AMDGPUUsage.rst of its sources
#   make oracle       compare the lowering tables with LLVM 22: its llc-22, or llvmlite, installed if need be; verify what
#                     llc-22 makes of the suite, of whole kernels, and of 4,500 random programs of one thread, or of
#                     seq_cst operations; drop every wait of what it makes, one at a time; make elements, make seeded; assemble
#                     modifiers; run the commands of docs/findings; and
#                     cycles, uniformity and tokens of random kernels, and what passes make of loops with metadata,
#                     with opt-22, and what loops give after its passes and ours, with lli-22; it fails without them
#   make code-mutants change central modules of the program in 60 places, one at a time, in a copy of the tree: the tests of
#                     their rooms must notice 55; regenerates results/code-mutants.md (a quarter of an hour)
#   make elements     compare what verify --needs says of llc-22's code with verify of that code without each element:
#                     50 programs, six targets; and of clang's code for 29 sources in tests/sources, five targets, up to
#                     five elements each (half an hour; make oracle runs it)
#   make seeded       seed faults next to those of docs/findings into what llc-22 makes of 48 programs for six targets:
#                     verify must call none of them known (ten minutes; make oracle runs it)
#   make oracle-next  compare the lowering tables, and what docs/findings say, with LLVM 24 (its llc, and the default
#                     pipelines of its opt), from the wheel of triton (300 MB to load)
#   make peers PEERS=DIR  run all tests of Dartagnan, herd and Khronos under their models and ours, against what they
#                     expect, and regenerate results/peers.md (three quarters of an hour); DIR has checkouts called Dat3M,
#                     herdtools7 and Vulkan-MemoryModel, which are read in place; what is not there is skipped by name
#   make passes       put the passes of opt-22 on trial, and regenerate results/passes.md: all functions of up to two
#                     operations, and small ones of three (three hours; likewise); PASSES=--rows takes those without
#                     branches and loops, PASSES='--events 1' of one operation, PASSES='--hours 1' as many as it can
#   make opt-tests LLVM=DIR  judge what opt changes in LLVM's own tests, and regenerate results/opt-tests.md; DIR is
#                     llvm/test/Transforms; OPT_TESTS='--named' takes the files named *atomic*, *fence*, *volatile* and
#                     *mmra*, '--named --tests 19' those of the page (half an hour)
#   make llvm-tests LLVM=DIR  compare LLVM's own tests of loop metadata, uniformity and cycles with opt-22, and those of the
#                     memory legalizer with llc-22; judge the waits of 100 modules, and 500 that are left out; DIR is
#                     llvm/test of its sources (five minutes)
#   make assembly ASSEMBLY=DIR  judge the waits of 200 files of assembly and code objects that lie there, such as
#                     hand-written kernels, and 500 that are left out (five minutes); GFX=gfx908 is the target of those
#                     that do not say it
#   make refusals LLVM=DIR PEERS=DIR  regenerate results/refusals.md: what of these files is not read, and what would be
#                     needed (three minutes)
#   make test-page    try that page, the site around it, and a report in a headless Chromium (CHROMIUM=PATH, or the one
#                     that is found; it fails without one): three minutes on two idle cores; AXMEM_TEST_LONG=1 opens more
#                     pages, asks the page about every test of the corpus, and tries 300 random orders of clicks and edits
#   make try-pages    the same, with the pages as they were built last
#   make vscode       build the extension for VS Code, build/vscode/axmem.vsix, and compare what VS Code's engine makes
#                     of the corpus with what the lexers make of it (it needs the npm registry)
#   make screenshots  pictures into build/screenshots: of these pages, light, dark, and on a phone, and of twelve executions
#   make installs     install in every way on every Python that is found, and use what was installed
#   make solvers      run the tests of the engines with the oldest Z3 that pyproject.toml permits, and with the newest

JOBS ?= 2
SEED ?= $(shell date +%s)
# Where `make tables` writes.
RESULTS ?= results
# Of trials that draw changes: how many, in how many contexts each, and up to how many operations the game asks of rows.
PAIRS ?= 400
CONTEXTS ?= 20
GAME ?= 0
VENV := .venv
VERIFIED := gfx90a gfx942 gfx1030 gfx1100 gfx1200 gfx1250
BIN := $(VENV)/bin
# Node.js is the one of the environment.
NODE := $(CURDIR)/$(BIN):$(PATH)
# What the page is made of; it is made anew when one of these files is newer.
PAGE := build/playground/sw.js
PAGED := $(shell find playground docs/findings $(filter-out tests/,$(dir $(wildcard */__init__.py))) -type f -not -path '*/node_modules/*' -not -path '*/__pycache__/*')

# Notes in results/origins.txt what the files that a command makes were made from.
ORIGINS := $(BIN)/python -m tests.origins

# Neighbours run in one process, which parses, elaborates and builds once what they share.
SPREAD := -n $(JOBS) --dist worksteal

# The tests start hundreds of processes: what is imported is compiled once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

help:
	@sed -n '/^#   make help/,/^#$$/s/^#  \{0,1\}//p' Makefile

long:
	@sed -n '/^# Long runs/,/^[^#]/s/^#  \{0,1\}//p' Makefile

.PHONY: help long tables test test-long docs lint theorems optimizations transforms explanations mutants controls trials values stale pointers known fuzz sources verified-sources c-functions necessity needs usage verified oracle seeded elements oracle-next peers passes opt-tests llvm-tests assembly refusals playground test-page try-pages site sample-report chromium vscode screenshots installs release solvers ci clean code-mutants
.DEFAULT_GOAL := test

tables: $(VENV)/.test
	@echo "answering the tests of the corpus, then tabulating the lowering (a minute or two)"
	$(BIN)/axmem doc table litmus/corpus --results '$(RESULTS)'
	$(BIN)/axmem doc table --lowering --results '$(RESULTS)'
	$(BIN)/axmem doc table --loops --results '$(RESULTS)'

test: $(VENV)/.test
	$(BIN)/python -m pytest $(SPREAD)

test-%: $(VENV)/.test
	$(BIN)/python -m pytest $(SPREAD) tests/$*

DRAWN := $(shell grep -ls 'from tests.drawn import' tests/*/test_*.py tests/*/*/test_*.py)

test-long: $(VENV)/.test
	AXMEM_TEST_LONG=1 $(BIN)/python -m pytest $(SPREAD) $(DRAWN)
	$(BIN)/python -m tests.long --jobs $(JOBS)
	$(MAKE) --no-print-directory explanations
	$(BIN)/python -m tests.long.repairs --jobs $(JOBS)
	$(BIN)/python -m tests.machine --jobs $(JOBS)
	$(BIN)/python -m tests.long.convergence --count 12000 --kernels 6000
	$(BIN)/python -m tests.check.progress --kernels 600 --jobs $(JOBS)
	$(BIN)/python -m tests.long.transforms --kernels 1000 --jobs $(JOBS)
	$(BIN)/python -m tests.long.loopids --tests 1000 --jobs $(JOBS)
	$(BIN)/python -m tests.long.redundant --jobs $(JOBS)
	$(BIN)/python -m tests.long.crossing --jobs $(JOBS)
	$(BIN)/python -m tests.long.dropping --jobs $(JOBS)
	$(BIN)/python -m tests.long.faults
	$(BIN)/python -m tests.long.limits
	$(BIN)/python -m tests.long.fuzzing --minutes 20
	$(BIN)/python -m tests.long.parser --minutes 10
	$(BIN)/python -m tests.kill_and_resume --tests 10000 --kills 10 --jobs $(JOBS)
	AXMEM_TEST_LONG=1 $(MAKE) --no-print-directory test-page

docs: $(PAGE) site
	rm -rf build/site/playground
	cp -R build/playground build/site/playground

site: $(VENV)/.page
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --jobs $(JOBS) -c docs . build/site

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy --num-workers $(JOBS)
	$(BIN)/mypy benchmarks/run $(wildcard benchmarks/*.py)
	$(BIN)/lint-imports

transforms: $(VENV)/.test
	$(ORIGINS) transforms -- $(BIN)/axmem prove --bounded --transforms --run build/transforms --results results --jobs $(JOBS)

optimizations: $(VENV)/.test
	$(ORIGINS) optimizations -- $(BIN)/axmem prove --bounded --optimizations --run build/theorems --results results --jobs $(JOBS)

theorems: $(VENV)/.test
	$(ORIGINS) theorems -- $(BIN)/axmem prove --bounded --run build/theorems --results results --jobs $(JOBS)

explanations: $(VENV)/.test
	$(BIN)/python -m tests.long.explanations --jobs $(JOBS)

mutants: $(VENV)/.test
	$(ORIGINS) mutants -- $(BIN)/python -m tests.mutants --jobs $(JOBS)

controls: $(VENV)/.test
	$(BIN)/python -m tests.controls --jobs $(JOBS)

trials: $(VENV)/.test
	$(BIN)/python -m tests.controls.trial --pairs $(PAIRS) --contexts $(CONTEXTS) --seed $(SEED) --jobs $(JOBS)
	$(BIN)/python -m tests.controls.rows --pairs $(PAIRS) --contexts $(CONTEXTS) --game $(GAME) --seed $(SEED) --share 95
	$(BIN)/python -m tests.controls.rows --pairs $(PAIRS) --contexts $(CONTEXTS) --seed $(SEED) --scopes 0.6 --branches 0.25

values: $(VENV)/.test
	$(BIN)/python -m tests.refinement.values --pairs $(PAIRS) --seed $(SEED) --jobs $(JOBS)
	$(BIN)/python -m tests.refinement.layouts --pairs $(PAIRS) --seed $(SEED) --jobs $(JOBS)

stale: $(VENV)/.test
	$(ORIGINS) stale

pointers: $(VENV)/.test
	$(BIN)/python -m tests.pointers --jobs $(JOBS)
	$(BIN)/python -m tests.pointers --wrong --jobs $(JOBS)

known: $(VENV)/.test
	$(ORIGINS) known -- $(BIN)/python -m tests.refinement.known --jobs $(JOBS) --results

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.differential --jobs $(JOBS) --variants random --seed $(SEED)

sources: $(VENV)/.test
	$(BIN)/python -m tests.sources.trial

SECONDS_EACH ?= 60

verified-sources: $(VENV)/.test
	$(ORIGINS) sources -- $(BIN)/python -m tests.sources.verified --seconds $(SECONDS_EACH) --results

c-functions: $(VENV)/.test
	$(BIN)/python -m tests.long.c_functions --seed $(SEED) --jobs $(JOBS)

necessity: $(VENV)/.test
	$(ORIGINS) verdicts necessity strategy savings -- $(MAKE) --no-print-directory verified

needs: $(VENV)/.test
	$(ORIGINS) needs -- $(BIN)/python -m tests.needs_pages --jobs $(JOBS)

DOCUMENT ?=

usage: $(VENV)/.test
	@test -n "$(DOCUMENT)" || { echo "make: name the document: make usage DOCUMENT=AMDGPUUsage.rst" >&2; exit 2; }
	$(ORIGINS) usage -- $(BIN)/python -m tests.usage '$(DOCUMENT)' --results

verified:
	@mkdir -p results/verdicts results/necessity results/strategy results/savings
	@for target in $(VERIFIED); do \
	    verify="$(BIN)/axmem verify --suite --profile llvm-24 --target $$target -j $(JOBS)"; \
	    echo "$$target"; \
	    $$verify --classical -o results/verdicts/$$target.txt || [ $$? -eq 1 ] || exit 1; \
	    $$verify --run build/necessity --needs --by operation -o results/necessity/$$target.md || exit 1; \
	    $$verify --run build/necessity --strategy -o results/strategy/$$target.md || exit 1; \
	    $$verify --classical --savings litmus/corpus/amdgpu -o results/savings/$$target.md || exit 1; \
	done

oracle: $(VENV)/.oracle
	$(BIN)/python -m tests.lowering --jobs $(JOBS)
	$(BIN)/python -m tests.compiled --jobs $(JOBS)
	$(BIN)/python -m tests.findings --jobs $(JOBS)
	$(BIN)/python -m tests.long.modifiers
	$(BIN)/python -m tests.opencl --recorded
	$(BIN)/python -m tests.passes.recorded --check
	$(BIN)/python -m tests.long.waits --jobs $(JOBS)
	$(MAKE) --no-print-directory elements seeded
	$(BIN)/python -m tests.uniformity --jobs $(JOBS)
	$(BIN)/python -m tests.loopmd --jobs $(JOBS)
	$(BIN)/python -m tests.transform --jobs $(JOBS)

elements: $(VENV)/.oracle
	$(BIN)/python -m tests.long.elements --jobs $(JOBS)
	$(BIN)/python -m tests.long.elements --sources --jobs $(JOBS)

seeded: $(VENV)/.oracle
	$(BIN)/python -m tests.long.seeded --jobs $(JOBS)

code-mutants: $(VENV)/.test
	$(BIN)/python -m tests.code_mutants --jobs $(JOBS) --results

NEXT := build/next/llc-24

$(NEXT): $(VENV)/.oracle
	$(BIN)/python -m tests.next $(@D)

oracle-next: $(NEXT)
	$(BIN)/python -m tests.lowering --llc $(NEXT) --jobs $(JOBS)
	$(BIN)/python -m tests.findings --next $(NEXT) --jobs $(JOBS)

PEERS ?=

peers: $(VENV)/.test
	@test -n "$(PEERS)" || { echo "make: name the folder of the checkouts: make peers PEERS=DIR" >&2; exit 2; }
	AXMEM_PEERS='$(PEERS)' $(BIN)/python -m pytest -q tests/peers/test_in_place.py
	$(ORIGINS) peers -- $(BIN)/python -m tests.peers '$(PEERS)' --jobs $(JOBS) --results

PASSES ?=

passes: $(VENV)/.test
	$(ORIGINS) passes -- $(BIN)/python -m tests.passes $(PASSES) --jobs $(JOBS) --results

LLVM ?=

llvm-tests: $(VENV)/.oracle
	@test -n "$(LLVM)" || { echo "make: name LLVM's tests: make llvm-tests LLVM=llvm/test" >&2; exit 2; }
	$(BIN)/python -m tests.uniformity --llvm '$(LLVM)' --jobs $(JOBS)
	$(BIN)/python -m tests.loopmd --llvm '$(LLVM)' --jobs $(JOBS)
	$(BIN)/python -m tests.lowering.folder '$(LLVM)' --jobs $(JOBS)
	$(BIN)/python -m tests.long.any_waits '$(LLVM)/CodeGen/AMDGPU'

assembly: $(VENV)/.oracle
	@test -n "$(ASSEMBLY)" || { echo "make: name a folder of assembly: make assembly ASSEMBLY=DIR" >&2; exit 2; }
	$(BIN)/python -m tests.long.any_waits '$(ASSEMBLY)' --assembly --modules 200 --target '$(GFX)'

refusals: $(VENV)/.oracle
	@test -n "$(LLVM)" -a -n "$(PEERS)" || { echo "make: make refusals LLVM=llvm/test PEERS=DIR" >&2; exit 2; }
	$(ORIGINS) refusals -- $(BIN)/python -m tests.refusals --llvm '$(LLVM)' --peers '$(PEERS)' --jobs $(JOBS) --results

opt-tests: $(VENV)/.test
	@test -n "$(LLVM)" || { echo "make: name LLVM's tests: make opt-tests LLVM=llvm/test/Transforms" >&2; exit 2; }
	$(ORIGINS) opt-tests -- $(BIN)/python -m tests.opt_tests '$(LLVM)' $(OPT_TESTS) --jobs $(JOBS) --results

playground: $(PAGE)
	@echo "build/playground is the page: $(BIN)/python -m http.server --directory build/playground"

$(PAGE): playground/node_modules/.made pyproject.toml setup.py $(PAGED)
	rm -rf build/wheel build/lib build/bdist.*
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .
	PATH="$(NODE)" $(BIN)/python playground/build.py build/wheel/*.whl build/playground

CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser)

# The file that takes longest comes first.
LONGEST := tests/browser/test_sites.py
BROWSED := $(LONGEST) $(filter-out $(LONGEST),$(shell grep -ls 'import.* chromium' tests/*/test_*.py))

test-page: chromium
	$(MAKE) --no-print-directory --jobs $(JOBS) docs sample-report
	$(MAKE) --no-print-directory try-pages

try-pages: chromium $(VENV)/.page
	CHROMIUM='$(CHROMIUM)' AXMEM_PAGE=build/site/playground AXMEM_SITES=build/site:build/report \
	    $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(BROWSED)

sample-report: $(VENV)/.page
	$(BIN)/axmem doc report litmus/corpus/axioms --target gfx942 --mutants results/mutants.md -o build/report/

chromium:
	@command -v '$(CHROMIUM)' > /dev/null || { \
	    echo "make: there is no Chromium: install Debian's package chromium, or name one with CHROMIUM=PATH" >&2; exit 1; }

screenshots: chromium docs sample-report
	CHROMIUM='$(CHROMIUM)' AXMEM_PAGE=build/site/playground AXMEM_SITES=build/site:build/report \
	    $(BIN)/python -m tests.playground.screenshots build/screenshots

playground/node_modules/.made: playground/package.json playground/package-lock.json $(VENV)/.page
	cd playground && PATH="$(NODE)" npm ci --no-audit --no-fund --loglevel=error
	@touch $@

installs: $(VENV)/.test
	$(BIN)/python -m tests.installs

RELEASE := build/release

release: $(VENV)/.release
	$(ORIGINS) stale --refuse
	rm -rf $(RELEASE) dist
	git clone -q . $(RELEASE)/source
	$(BIN)/python -m build --outdir dist $(RELEASE)/source
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows docs/github-actions.yml
	$(BIN)/python -m venv $(RELEASE)/citation
	$(RELEASE)/citation/bin/pip install --quiet --disable-pip-version-check 'cffconvert>=2'
	$(RELEASE)/citation/bin/cffconvert --validate -i CITATION.cff
	$(BIN)/python -m venv --without-pip $(RELEASE)/installed
	$(BIN)/pip --python $(RELEASE)/installed/bin/python install --quiet --disable-pip-version-check dist/*.whl
	@# The list names the version, which pyproject.toml leaves to the sources.
	version=$$($(BIN)/python -c 'import axmem; print(axmem.__version__)') && \
	    sed "s/^dynamic = .*/version = \"$$version\"/" pyproject.toml > $(RELEASE)/pyproject.toml
	$(BIN)/cyclonedx-py environment --pyproject $(RELEASE)/pyproject.toml --output-reproducible --validate \
	    --output-file dist/axmem.cdx.json $(RELEASE)/installed/bin/python
	$(BIN)/python -m tests.release.hooks
	$(BIN)/python -m tests.installs wheel sdist

OLDEST := $(shell sed -n 's/.*z3-solver>=\([0-9.]*\).*/\1/p' pyproject.toml)
ENGINES := events encoder explanations check model bounded repairs refinement mapping

solvers: $(VENV)/.test
	@for z3 in '==$(OLDEST).*' ''; do \
	    echo "z3-solver$$z3"; \
	    $(BIN)/python -m venv --clear build/solver || exit 1; \
	    build/solver/bin/pip install --quiet --disable-pip-version-check --editable '.[test]' "z3-solver$$z3" || exit 1; \
	    build/solver/bin/python -m pytest $(SPREAD) $(ENGINES:%=tests/%) || exit 1; \
	done

ci:
	.ci/run

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

COMMA := ,

# Each has what the tests need besides its own; one that names two is installed at once for both.
$(VENV)/.test $(VENV)/.dev $(VENV)/.oracle $(VENV)/.page $(VENV)/.release $(VENV)/.dev,page: $(VENV)/.%: pyproject.toml
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	    if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        echo "$$python -m venv $(VENV)"; $$python -m venv $(VENV) && exit 0; exit 1; \
	    fi; \
	done; echo "make: no Python 3.11 or newer found; name one with make PYTHON=..." >&2; exit 1
	@echo "installing axmem and what its '$*' needs into $(VENV) (once, a minute or two)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@ $(patsubst %,$(VENV)/.%,test $(subst $(COMMA), ,$*))
