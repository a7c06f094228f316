# Holdfast: everything that a person does with it, by name. 'make help' lists the tasks.
#
# Variables that may be given on the command line or in the environment:
#   REDISMODULE_INCLUDE  folder with redismodule.h    (default: fetched from the distribution's source package)
#   CCAN_DIR             folder that holds ccan/      (default: likewise)
#   HIREDIS_DIR          folder that holds hiredis/   (default: likewise)
#   CC CLANG CFLAGS CPPFLAGS LDFLAGS                  compilers and further flags, added after the project's own
#   HOLDFAST_SERVER      the server program to run and test with (default: redis-server)
#   SUITES, TESTS        what 'make test' runs: unit fuzz house scripts server asan faults matrix, and patterns for
#                        program names
#   MINUTES, SEED, FAULT how long 'make faults' goes on, its seed, and the one fault that it plays
#   PORT                 where 'make run' looks for a free port first (default: 6379)
#   FUZZ_SECONDS, BENCH_ARGS, UPDATE, ROWS, PREFIX, DESTDIR

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := build

ifeq ($(origin CC),default)
CC := gcc
endif
# Looked up when it is used, since a task may have installed it just before.
CLANG ?= $(or $(shell command -v clang-14),$(shell command -v clang),clang)
HOLDFAST_SERVER ?= redis-server
PREFIX ?= /usr/local
PORT ?= 6379
SUITES ?= unit fuzz house scripts server asan
TESTS ?= *
FUZZ_SECONDS ?= 300
FUZZ_SECONDS_SHORT ?= 5
BENCH_ARGS ?=
MINUTES ?= 2

BUILD := build
DEPS := $(BUILD)/deps
JOBS := $(shell nproc 2>/dev/null || echo 2)
export CC HOLDFAST_SERVER

# --- What is compiled -------------------------------------------------------------------------------------------------

MODULE_SOURCES := $(wildcard module/*.c module/*/*.c module/*/*/*.c)
# Pure sources know nothing of Redis; unit tests and fuzzers are linked with them alone. So is the parser of arguments.
PURE_FOLDERS := $(addprefix module/, core change lease blob queue table file)
PURE_SOURCES := $(wildcard $(addsuffix /*.c, $(PURE_FOLDERS))) module/server/grammar/args.c
# Models know neither the module nor a server: tests of both ask them.
MODEL_SOURCES := $(wildcard tests/models/*.c)
PROCESS_SOURCES := tests/support/processes.c
# Tests list themselves. The main() that plays them is linked with test programs alone.
LIST_SOURCES := tests/support/test_list.c
UNIT_SUPPORT_SOURCES := $(wildcard tests/unit/support/*.c) $(MODEL_SOURCES)
# Tests of servers know the table of errors.
SERVER_SUPPORT_SOURCES := $(wildcard tests/server/support/*.c) $(PROCESS_SOURCES) $(LIST_SOURCES) $(MODEL_SOURCES) module/core/outcome.c
BENCH_SOURCES := $(wildcard tests/bench/*.c) $(PROCESS_SOURCES)
FAULTS_SOURCES := $(wildcard tests/faults/*.c)

# What two threads do at once, under a sanitizer that looks for races: core/ and the test alone.
TSAN_PROGRAM := $(BUILD)/tsan/test_sharing_threads
TSAN_SOURCES := $(wildcard module/core/*.c) tests/unit/test_sharing_threads.c \
                $(addprefix tests/unit/, main.c support/allocations.c support/require.c) $(LIST_SOURCES)

UNIT_PROGRAMS := $(patsubst tests/unit/%.c, $(BUILD)/unit/%, $(wildcard tests/unit/test_*.c))
SERVER_PROGRAMS := $(patsubst tests/server/%.c, $(BUILD)/server/%, $(wildcard tests/server/test_*.c))
FUZZ_PROGRAMS := $(patsubst tests/fuzz/%.c, $(BUILD)/fuzz/%, $(wildcard tests/fuzz/fuzz_*.c))
FAULTS_PROGRAM := $(BUILD)/faults/holdfast-faults
BENCH_PROGRAM := $(BUILD)/bench/holdfast-bench

# Counts instructions under valgrind, for which a small module of its own marks where counting begins and ends.
INSTRUCTIONS_PROGRAM := $(BUILD)/bench/holdfast-instructions
INSTRUCTIONS_MARKER := $(BUILD)/bench/marker.so
# Commands that do next to nothing, to be measured beside the module's.
BARE_MODULE := $(BUILD)/bench/bare.so
INSTRUCTIONS_TABLE := tests/bench/instructions.txt
INSTRUCTIONS_SOURCES := $(wildcard tests/bench/instructions/*.c) $(addprefix tests/bench/, basics.c server.c) \
    $(PROCESS_SOURCES)

# --- With which flags -------------------------------------------------------------------------------------------------

# Headers that do not lie in build/deps are somebody's own: nothing is fetched for them.
ifeq ($(REDISMODULE_INCLUDE),)
override REDISMODULE_INCLUDE := $(DEPS)/redis
OUTSIDE_HEADERS += $(DEPS)/redis/redismodule.h
endif
ifeq ($(CCAN_DIR),)
override CCAN_DIR := $(DEPS)/ccan
OUTSIDE_HEADERS += $(DEPS)/ccan/ccan
endif
ifeq ($(HIREDIS_DIR),)
override HIREDIS_DIR := $(DEPS)/hiredis
OUTSIDE_HEADERS += $(DEPS)/hiredis/hiredis/hiredis.h
endif
OUTSIDE_HEADERS += $(DEPS)/config/config.h
CCAN_INCLUDES := -isystem $(CCAN_DIR) -isystem $(DEPS)/config
OUTSIDE_INCLUDES := -isystem $(REDISMODULE_INCLUDE) $(CCAN_INCLUDES) -isystem $(HIREDIS_DIR)

# ccan's headers use typeof, hence the GNU dialect of C11.
WARNINGS := -Wall -Wextra -Wconversion -Wformat -Wformat-security -Werror
# What is compiled does not tell in which folder it was: the same sources give the same bytes everywhere.
COMMON_FLAGS := -std=gnu11 $(WARNINGS) -g -fno-omit-frame-pointer -ffile-prefix-map=$(CURDIR)=.
GCC_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
TSAN_SANITIZE := -fsanitize=thread
FUZZ_COMPILE := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_LINK := -fsanitize=fuzzer,address,undefined

MODULE_LIBRARIES := -lmd
# What hiredis' TLS wants.
TLS_LIBRARIES := -lssl -lcrypto
MODULE_FLAGS := $(COMMON_FLAGS) -fPIC -fvisibility=hidden -Imodule $(OUTSIDE_INCLUDES)
MODULE_LINK := -shared -Wl,-z,defs -Wl,-z,relro -Wl,-z,now

# Across files, so that the small functions of core/ cost nothing; clang would want a linker of its own for that. Calls
# of libraries go straight to them (-fno-plt), as all of them are bound at load (-z now).
OPTIMISE := -O2 -fno-plt $(if $(findstring clang, $(CC)),,-flto=auto)
# Strangers' bytes come in here. As in the distribution's own packages, a wrong write ends the server.
HARDEN := -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2

# One list of flags per way of compiling. The name of the way is the name of its folder under build/obj.
# No frame pointers, as the distribution compiles its servers: debuggers go by the debug information.
FLAGS_release := $(MODULE_FLAGS) $(OPTIMISE) $(HARDEN) -fomit-frame-pointer
# What a function forgets to set is filled with a pattern here, so that tests fail by it: see call_start.
FLAGS_asan := $(MODULE_FLAGS) -O1 $(GCC_SANITIZE) -ftrivial-auto-var-init=pattern
FLAGS_unit := $(COMMON_FLAGS) -O1 $(GCC_SANITIZE) -Imodule -Itests/unit -Itests/unit/support -Itests/support -Itests/models $(OUTSIDE_INCLUDES)
FLAGS_tsan := $(COMMON_FLAGS) -O1 $(TSAN_SANITIZE) -Imodule -Itests/unit -Itests/unit/support -Itests/support -Itests/models $(OUTSIDE_INCLUDES)
FLAGS_fuzz := $(COMMON_FLAGS) -O1 $(FUZZ_COMPILE) -Imodule -Itests/unit/support -Itests/support -Itests/models -Itests/fuzz $(OUTSIDE_INCLUDES)
FLAGS_server := $(COMMON_FLAGS) -O1 -Itests/server -Itests/server/support -Itests/support -Itests/models -Imodule $(CCAN_INCLUDES)
FLAGS_bench := $(COMMON_FLAGS) -Wmissing-prototypes -O2 -Itests/bench -Itests/support $(CCAN_INCLUDES)

# --- Rules ------------------------------------------------------------------------------------------------------------

# V=1 shows the commands as they are.
ifeq ($(V),)
say = @printf '  %-6s %s\n' $(1) $(2);
endif

objects = $(patsubst %.c, $(BUILD)/obj/$(1)/%.o, $(2))

# $(call compiling,WAY,COMPILER): objects of that way; and a file that changes when the flags do, so that new flags
# compile anew.
define compiling
$(BUILD)/obj/$(1)/%.o: %.c $(BUILD)/obj/$(1)/flags | $$(OUTSIDE_HEADERS)
	@mkdir -p $$(@D)
	$$(call say,CC,$$<) $(2) $$(FLAGS_$(1)) $$(CPPFLAGS) $$(CFLAGS) -MMD -MP -c $$< -o $$@

$(BUILD)/obj/$(1)/flags: always
	@mkdir -p $$(@D); flags='$(2) $$(FLAGS_$(1)) $$(CPPFLAGS) $$(CFLAGS) $$(LDFLAGS)'; \
	[ "$$$$flags" = "$$$$(cat $$@ 2>/dev/null)" ] || echo "$$$$flags" > $$@
endef
$(foreach way, release asan unit tsan server bench, $(eval $(call compiling,$(way),$$(CC))))
$(eval $(call compiling,fuzz,$$(CLANG)))

# hiredis is compiled in, and nobody else sees it: servers have one of their own under the same names, which would take
# the place of a library's. Pure sources need its reader of the protocol alone.
HIREDIS := alloc async hiredis net read sds sockcompat ssl
HIREDIS_READER := alloc read sds
hiredis_objects = $(patsubst %, $(BUILD)/obj/hiredis/$(1)/%.o, $(2))
HIREDIS_FLAGS_release := -std=gnu11 -g -O2 -fPIC -fvisibility=hidden -DNDEBUG -ffile-prefix-map=$(CURDIR)=. $(HARDEN) -w
HIREDIS_FLAGS_asan := -std=gnu11 -g -O1 -fPIC -fvisibility=hidden $(GCC_SANITIZE) -w
HIREDIS_FLAGS_unit := $(HIREDIS_FLAGS_asan)
HIREDIS_FLAGS_fuzz := -std=gnu11 -g -O1 $(FUZZ_COMPILE) -w
define compiling_hiredis
$(BUILD)/obj/hiredis/$(1)/%.o: | $$(OUTSIDE_HEADERS)
	@mkdir -p $$(@D)
	$$(call say,CC,hiredis/$$*.c) $(2) $$(HIREDIS_FLAGS_$(1)) -I$(HIREDIS_DIR)/hiredis $$(CPPFLAGS) $$(CFLAGS) \
	    -c $(HIREDIS_DIR)/hiredis/$$*.c -o $$@
endef
$(foreach way, release asan unit, $(eval $(call compiling_hiredis,$(way),$$(CC))))
$(eval $(call compiling_hiredis,fuzz,$$(CLANG)))

# $(call link,FLAGS,LIBRARIES): links the objects among what the target is made of.
define link
@mkdir -p $(@D)
$(call say,LD,$@) $(CC) $(1) $(CFLAGS) $(LDFLAGS) $(filter %.o %.a, $^) $(2) -o $@
endef
MODULE_LINK_release := $(MODULE_LINK) $(OPTIMISE) $(HARDEN) -ffile-prefix-map=$(CURDIR)=.

$(BUILD)/holdfast.so: $(call objects,release,$(MODULE_SOURCES)) $(call hiredis_objects,release,$(HIREDIS))
	$(call link,$(MODULE_LINK_release),$(MODULE_LIBRARIES) $(TLS_LIBRARIES))

$(BUILD)/asan/holdfast.so: $(call objects,asan,$(MODULE_SOURCES)) $(call hiredis_objects,asan,$(HIREDIS))
	$(call link,$(MODULE_LINK) $(GCC_SANITIZE),$(MODULE_LIBRARIES) $(TLS_LIBRARIES))

$(UNIT_PROGRAMS): $(call objects,unit,$(PURE_SOURCES) $(UNIT_SUPPORT_SOURCES) $(LIST_SOURCES) tests/unit/main.c) \
                  $(call hiredis_objects,unit,$(HIREDIS_READER))
$(UNIT_PROGRAMS): $(BUILD)/unit/%: $(BUILD)/obj/unit/tests/unit/%.o
	$(call link,$(GCC_SANITIZE),-lcmocka $(MODULE_LIBRARIES))

$(TSAN_PROGRAM): $(call objects,tsan,$(TSAN_SOURCES))
	$(call link,$(TSAN_SANITIZE),-lcmocka $(MODULE_LIBRARIES) -lpthread)

$(SERVER_PROGRAMS): $(call objects,server,$(SERVER_SUPPORT_SOURCES) tests/server/main.c)
$(SERVER_PROGRAMS): $(BUILD)/server/%: $(BUILD)/obj/server/tests/server/%.o
	$(call link,,-lcmocka -lhiredis -lpthread)

$(FAULTS_PROGRAM): $(call objects,server,$(FAULTS_SOURCES) $(SERVER_SUPPORT_SOURCES))
	$(call link,,-lcmocka -lhiredis -lpthread)

# What tests preload into servers: a wall clock that they set.
PRELOADED := $(BUILD)/server/wall_clock.so
$(PRELOADED): $(BUILD)/server/%.so: tests/server/preload/%.c
	@mkdir -p $(@D)
	$(call say,LD,$@) $(CC) -std=gnu11 $(WARNINGS) -O1 -shared -fPIC $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $< -o $@

# What tests load beside the module.
LOADED := $(addprefix $(BUILD)/server/, filter.so listener.so settings.so)
$(BUILD)/server/settings.so: $(call objects,release,$(addprefix module/server/base/, api.c memory.c settings.c) \
                                                    $(addprefix module/core/, duration.c number.c))
$(LOADED): $(BUILD)/server/%.so: $(BUILD)/obj/release/tests/server/modules/%.o
	$(call link,$(MODULE_LINK) $(OPTIMISE))

# The tests' support code comes as an archive: a fuzzer takes the memory functions out of it and leaves the rest.
$(BUILD)/obj/fuzz/libsupport.a: $(call objects,fuzz,$(UNIT_SUPPORT_SOURCES))
	@rm -f $@
	$(call say,AR,$@) ar rcs $@ $^

$(FUZZ_PROGRAMS): $(BUILD)/fuzz/%: $(BUILD)/obj/fuzz/tests/fuzz/%.o $(call objects,fuzz,$(PURE_SOURCES)) \
                                   $(call hiredis_objects,fuzz,$(HIREDIS_READER)) $(BUILD)/obj/fuzz/libsupport.a
	@mkdir -p $(@D)
	$(call say,LD,$@) $(CLANG) $(FUZZ_LINK) $(CFLAGS) $(LDFLAGS) $(filter %.o %.a, $^) \
	    -Wl,--as-needed -lcmocka $(MODULE_LIBRARIES) -o $@

# Batches are read beside the server: the target brings what little of it they ask for.
$(BUILD)/fuzz/fuzz_batch: $(call objects,fuzz,module/table/redis/drafts.c module/server/call/refusal.c)

$(BENCH_PROGRAM): $(call objects,bench,$(BENCH_SOURCES))
	$(call link,,-lhiredis -lpthread -lm)

$(INSTRUCTIONS_PROGRAM): $(call objects,bench,$(INSTRUCTIONS_SOURCES))
	$(call link,,-lhiredis)

$(BARE_MODULE): $(call objects,release,tests/bench/modules/bare.c)
	$(call link,$(MODULE_LINK) $(OPTIMISE))

$(INSTRUCTIONS_MARKER): $(call objects,release,tests/bench/modules/marker.c)
	$(call link,$(MODULE_LINK) $(OPTIMISE))

$(DEPS)/redis/redismodule.h:
	@deploy/dev/fetch.sh redis $(@D)
$(DEPS)/ccan/ccan:
	@deploy/dev/fetch.sh ccan $(@D)
$(DEPS)/hiredis/hiredis/hiredis.h:
	@deploy/dev/fetch.sh hiredis $(DEPS)/hiredis
$(DEPS)/config/config.h: deploy/dev/fetch.sh
	@deploy/dev/fetch.sh config $(@D)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# --- Tasks ------------------------------------------------------------------------------------------------------------

# What is missing on the machine comes first; then a second make, which sees it, and uses all cores.
missing_headers = $(filter-out $(wildcard $(OUTSIDE_HEADERS)), $(OUTSIDE_HEADERS))
packages = @CLANG='$(CLANG)' deploy/dev/packages.sh $(1) build $(if $(missing_headers), fetch)
make_all = +@$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%, $(MAKEFLAGS)),, -j$(JOBS))
test_environment = SUITES='$(1)' TESTS='$(TESTS)' FUZZ_SECONDS='$(2)' CC='$(CC)' HOLDFAST_SERVER='$(HOLDFAST_SERVER)'

.PHONY: always build help run sentinel cluster test unit server house scripts asan matrix servers tsan faults fuzz \
        lint format bench bench-instructions packages install uninstall clean distclean recipes clients \
        dashboard deb dist compile_commands.json
.PHONY: $(addsuffix -programs, unit server fuzz house scripts asan matrix faults)
always:

build: ## compile the module, build/holdfast.so
	$(call packages,--check)
	$(make_all) $(BUILD)/holdfast.so

run: ## try it: install what is missing, build, start a server, play a short tour, serve until Ctrl-C
	$(call packages,run)
	$(make_all) $(BUILD)/holdfast.so
	@PORT='$(PORT)' deploy/dev/run.sh $(BUILD)/holdfast.so

# A first port that was given counts; that of 'make run' does not.
given_port = $(if $(filter command% environment%, $(origin PORT)),PORT='$(PORT)')

# See deploy/sentinel and deploy/cluster.
sentinel cluster: ## a primary, two replicas and three Sentinels; or a cluster of six nodes: started on this machine
	$(call packages,run)
	$(make_all) $(BUILD)/holdfast.so
	@$(given_port) deploy/$@/up

unit-programs: $(UNIT_PROGRAMS)
	@:
server-programs matrix-programs: $(BUILD)/holdfast.so $(SERVER_PROGRAMS) $(PRELOADED) $(LOADED)
	@:
asan-programs: $(BUILD)/asan/holdfast.so $(SERVER_PROGRAMS) $(PRELOADED) $(LOADED)
	@:
faults-programs: $(BUILD)/holdfast.so $(FAULTS_PROGRAM) $(PRELOADED)
	@:
fuzz-programs: $(FUZZ_PROGRAMS)
	@:
house-programs scripts-programs: $(BUILD)/holdfast.so
	@:

test: ## SUITES of the tests: unit fuzz house scripts server asan; by name only, since they are long: matrix faults
	$(call packages,test $(if $(filter fuzz, $(SUITES)), fuzz))
	$(make_all) $(addsuffix -programs, $(SUITES))
	@$(call test_environment,$(SUITES),$(FUZZ_SECONDS_SHORT)) tests/run.sh

unit server house scripts asan: ## one suite of the tests alone
	$(call packages,test)
	$(make_all) $@-programs
	@$(call test_environment,$@,$(FUZZ_SECONDS_SHORT)) tests/run.sh

# What is there already is not built again. A server that cannot be had is a line of the matrix that failed, so the rest
# still runs.
servers: ## build the servers that people run, to test on them: build/servers
	$(call packages,servers fetch)
	+@deploy/dev/servers.sh $(BUILD)/servers

matrix: ## the server tests on the installed server and on those of 'make servers'; a table of what passed where
	$(call packages,test servers fetch)
	+-@deploy/dev/servers.sh $(BUILD)/servers
	$(make_all) $@-programs
	@$(call test_environment,$@,$(FUZZ_SECONDS_SHORT)) tests/run.sh

# What cannot be had here (no network, no Go) is skipped, and told of with the reason.
recipes: ## run the recipes with the newest clients that can be had, and with the distribution's (TESTS='lock')
	$(call packages,test recipes)
	$(make_all) $(BUILD)/holdfast.so
	@deploy/dev/clients.sh $(BUILD)/clients c python go node
	@CLIENTS=$(BUILD)/clients TESTS='$(TESTS)' CC='$(CC)' HOLDFAST_SERVER='$(HOLDFAST_SERVER)' \
	    tests/recipes.sh c python node go java csharp

clients: ## what each client hands over for each shape of reply: a table, compared with tests/clients/matrix.txt
	$(call packages,test recipes clients)
	$(make_all) $(BUILD)/holdfast.so
	@deploy/dev/clients.sh $(BUILD)/clients c python go node
	@CLIENTS=$(BUILD)/clients CC='$(CC)' HOLDFAST_SERVER='$(HOLDFAST_SERVER)' \
	    tests/clients.sh $(if $(UPDATE),--update) c python node go php ruby perl

dashboard: ## draw deploy/monitoring/dashboard.svg anew: what the dashboard shows of a run of two minutes
	$(call packages,run monitoring)
	$(make_all) $(BUILD)/holdfast.so
	python3 tests/monitoring/picture.py deploy/monitoring/dashboard.svg

tsan: ## what threads share, under a sanitizer that looks for races
	$(call packages,test)
	$(make_all) $(TSAN_PROGRAM)
	@TSAN_OPTIONS=halt_on_error=1 $(TSAN_PROGRAM)

faults: ## servers that die, stall and are replaced under load, for MINUTES (2); SEED=n repeats, FAULT='stop' is one
	$(call packages,test)
	$(make_all) $@-programs
	@HOLDFAST_MODULE='$(abspath $(BUILD)/holdfast.so)' HOLDFAST_TMP='$(abspath $(BUILD)/tmp/faults)' \
	    $(FAULTS_PROGRAM) --minutes '$(MINUTES)' $(if $(SEED),--seed '$(SEED)') $(if $(FAULT),--only '$(FAULT)')

fuzz: ## fuzz every target for FUZZ_SECONDS (300)
	$(call packages,test fuzz)
	$(make_all) fuzz-programs
	@$(call test_environment,fuzz,$(FUZZ_SECONDS)) tests/run.sh

bench_environment = HOLDFAST_MODULE='$(abspath $(BUILD)/holdfast.so)' HOLDFAST_BARE='$(abspath $(BARE_MODULE))' \
    HOLDFAST_TMP='$(abspath $(BUILD)/bench)'

bench: ## measure against what one would pick instead: a page of bars; tables and charts in build/bench
	$(call packages,bench)
	$(make_all) $(BUILD)/holdfast.so $(BENCH_PROGRAM) $(BARE_MODULE)
	@$(bench_environment) $(BENCH_PROGRAM) $(BENCH_ARGS)

bench-instructions: ## count instructions of commands, and compare with the stored table; UPDATE=1, ROWS='BLOB*'
	$(call packages,bench-instructions)
	$(make_all) $(BUILD)/holdfast.so $(INSTRUCTIONS_PROGRAM) $(INSTRUCTIONS_MARKER) $(BARE_MODULE)
	@$(bench_environment) HOLDFAST_MARKER='$(abspath $(INSTRUCTIONS_MARKER))' \
	    $(INSTRUCTIONS_PROGRAM) $(INSTRUCTIONS_TABLE) $(if $(UPDATE),--update) $(if $(ROWS),'$(ROWS)')

# A test's require() does not return when it fails, but leaves the test by a long jump, unseen by cppcheck: hence
# two suppressions about null pointers in tests. Nor does it see that the parser is given arguments to be filled.
LINT_SOURCES = $(sort $(shell find module tests -name '*.c'))
LINT_FILES = $(sort $(shell find module tests -name '*.[ch]'))
LINT_FLAGS := -std=gnu11 -Wall -Wextra -Imodule -Itests/unit -Itests/unit/support -Itests/models \
              -Itests/server -Itests/server/support -Itests/fuzz \
              -Itests/support -Itests/bench -Itests/faults -Ideploy/recipes/c

lint: ## clang-format, clang-tidy and cppcheck over module and tests
	$(call packages,lint)
	$(make_all) $(OUTSIDE_HEADERS)
	clang-format --dry-run -Werror $(LINT_FILES)
	@printf '%s\n' $(LINT_SOURCES) | xargs -P $(JOBS) -I {} deploy/dev/tidy.sh {} $(LINT_FLAGS) $(OUTSIDE_INCLUDES)
	@mkdir -p $(BUILD)/lint
	cppcheck --include=deploy/dev/cppcheck.h --quiet --error-exitcode=1 --enable=warning,performance,portability \
	    --inline-suppr --std=c11 -j $(JOBS) --cppcheck-build-dir=$(BUILD)/lint \
	    --suppress=missingIncludeSystem --suppress='nullPointerRedundantCheck:tests/*' \
	    --suppress='ctunullpointer:tests/*' --suppress='ctuuninitvar:module/*' \
	    $(filter -I%, $(LINT_FLAGS)) $(LINT_SOURCES)
	@echo 'lint: nothing to complain about'

format: ## put the sources into the one format
	$(call packages,format)
	clang-format -i $(LINT_FILES)

packages: ## install from the distribution what building and running need
	$(call packages,run)

# Editors look for it here, too, when they look for a source's flags.
compile_commands.json: $(OUTSIDE_HEADERS) ## tell editors how each source is compiled: build/compile_commands.json
	@mkdir -p $(BUILD)
	@deploy/dev/compilation.sh '$(CC) $(FLAGS_release)' $(MODULE_SOURCES) \
	    -- '$(CC) $(FLAGS_unit)' $(wildcard tests/models/*.c tests/unit/*.c tests/unit/support/*.c) \
	    -- '$(CC) $(FLAGS_server)' $(wildcard tests/server/*.c tests/server/modules/*.c tests/server/support/*.c tests/support/*.c) \
	    -- '$(CLANG) $(FLAGS_fuzz)' $(wildcard tests/fuzz/*.c) \
	    -- '$(CC) $(FLAGS_bench)' $(BENCH_SOURCES) $(wildcard tests/bench/instructions/*.c) >$(BUILD)/compile_commands.json
	@echo $(BUILD)/compile_commands.json

dist: ## pack the sources: build/holdfast-VERSION.tar.gz
	@deploy/dev/dist.sh $(BUILD)

deb: ## build the Debian packages, build/deb/holdfast_VERSION_ARCHITECTURE.deb and its debug symbols
	$(call packages,deb)
	$(make_all) $(BUILD)/holdfast.so
	@deploy/dev/deb.sh $(BUILD)/holdfast.so $(BUILD)/deb

install: $(BUILD)/holdfast.so ## install module, debug information and sample configurations under PREFIX (/usr/local)
	@deploy/dev/install.sh install '$(DESTDIR)' '$(PREFIX)' $(BUILD)/holdfast.so

uninstall: ## remove what install put there
	@deploy/dev/install.sh uninstall '$(DESTDIR)' '$(PREFIX)'

clean: ## remove what was compiled; what was fetched stays, and the servers and clients to test with
	find $(BUILD) -mindepth 1 -maxdepth 1 ! -name deps ! -name servers ! -name clients ! -name chroot \
	    -exec rm -rf {} + 2>/dev/null || true

distclean: ## remove everything that was made or fetched
	rm -rf $(BUILD)

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z_. -]*:.*## / { printf "  make %-26s %s\n", $$1, $$2 }' Makefile
