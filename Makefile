# mprof: make demo, make test. The other targets are for people who change it.
GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS = -X main.version=$(VERSION)

.PHONY: all build demo test short race fuzz bench bench-peers bench-targets load accuracy corpus reliability firmware page screenshots fmt lint cross generate clean

all: build

build:
	@scripts/setup.sh demo
	$(GO) build -ldflags '$(LDFLAGS)' -o bin/mprof ./cmd/mprof

# 60 s of target time at 100 Hz on the simulated board; and each call of 12 s, of a recording.
demo: build
	bin/mprof sample --probe sim --rate 100 --duration 60 -o mprof-demo.json.gz -o mprof-demo.pb.gz
	bin/mprof trace --demo -o mprof-demo-trace.json.gz -o mprof-demo-trace.pb.gz

test:
	@scripts/setup.sh test
	@scripts/node-tools.sh
	@echo 'a line for each package; the first takes about half of the time, many minutes'
	$(GO) test -timeout 60m ./...

# Without the long runs; no tools beyond Go are needed.
short:
	$(GO) test -short ./...

# Samplers on the board's own clock are one goroutine: their long runs have nothing
# to race, and take fifteen times as long.
ONE_GOROUTINE = ^Test(Accuracy.*|StolenTime|Overhead|MaxHalt|MaxOverhead|Within|Times.*|ClockThatLies|HostSuspended|HaltsFillTheFrame|HaltsOfRegistersFillTheFrame|EveryFaultNowAndThen|FaultAtEveryTransfer|PlansFitAndHold)$$
race:
	$(GO) test -race -short -timeout 60m -skip '$(ONE_GOROUTINE)' ./...

# Every fuzz target for FUZZTIME; make fuzz FUZZ=probe chooses.
FUZZTIME ?= 10s
fuzz:
	FUZZTIME=$(FUZZTIME) scripts/fuzz.sh $(FUZZ)

# The tables of docs/overhead.md and docs/simulated-board.md, and Go benchmarks.
bench:
	$(GO) test -run '^$$' -bench . -skip 'Peers|GDBServers' -benchtime 1s ./...

# OpenOCD's profiler and mprof on the same board through libusb: the tables of
# docs/overhead.md, "Against OpenOCD". Four minutes; the machine must be idle.
bench-peers:
	@scripts/setup.sh test
	$(GO) test -timeout 20m -run '^$$' -bench Peers -benchtime 1x ./sim/strangers

# Ten minutes of target time at 1 kHz, and of 50,000 calls a second, into three pages and one that
# is stuck (a minute and a half).
load:
	MPROF_LOAD_MINUTES=10 $(GO) test -count 1 -timeout 20m -v -run 'TestLoad$$' ./serve/page

# Rates and halts through GDB servers: the table of docs/targets.md (a minute).
bench-targets:
	@scripts/setup.sh test
	$(GO) test -timeout 10m -run '^$$' -bench GDBServers -benchtime 1x ./sim/strangers

# The tables of docs/reliability.md: every fault at every point (a minute). Then two thousand trace
# sessions over links that lose, delay and double, with targets that are reset, and three hundred
# with the firmware module on the simulated board (a minute).
reliability:
	$(GO) test -count 1 -timeout 20m ./cortexm/reliability -full -update
	MPROF_SESSIONS=2000 $(GO) test -count 1 -timeout 30m -run '^TestSessionCampaign$$' ./trace
	MPROF_SESSIONS=300 $(GO) test -count 1 -timeout 30m -run '^TestCampaignOfTheModule$$' ./session/tracing

# The tables of docs/accuracy.md; those of every instruction are written into it
# (every program of firmware/corpus, two minutes). Then those of docs/firmware.md: durations
# of traced calls against counted ones, and what the modules cost (three minutes); and
# that of docs/placement.md.
accuracy:
	@scripts/setup.sh test
	$(GO) test -count 1 -timeout 60m -run 'Accuracy' -v ./cmd/mprof -corpus -update
	$(GO) test -count 1 -timeout 30m -run 'Accuracy|TestCost' -v ./firmware/examples -update
	$(GO) test -count 1 -timeout 30m -run TestCost -v ./firmware/examples/gproftest -update
	$(GO) test -count 1 -timeout 30m -run Moved -v ./placement/fit -update

# The programs of firmware/corpus, into the user's cache.
corpus:
	@scripts/setup.sh test
	$(GO) test -count 1 ./firmware/corpus

# Rebuild the committed ELF files (needs Debian's gcc-arm-none-eabi), and the recording
# of mprof trace --demo.
firmware:
	$(MAKE) -C firmware/demo
	$(MAKE) -C firmware/shares
	$(MAKE) -C firmware/examples/logger
	$(GO) test -count 1 -run TestDemoRecording ./firmware/examples -update

# The script and style of the live page and of HTML files, from serve/page/src
# (needs npm; their bytes are committed, go build needs neither).
page:
	cd serve/page/src && npm ci --no-audit --no-fund --ignore-scripts && npm run --silent check && npm run --silent build

# The pictures of docs/live.md (needs Chromium).
screenshots:
	$(GO) test -count 1 -run '^TestScreenshots$$' ./cmd/mprof -pictures

fmt:
	gofmt -w .

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

cross:
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/mprof
	CGO_ENABLED=0 GOOS=darwin GOARCH=amd64 $(GO) build -o /dev/null ./cmd/mprof
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/mprof
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build -o /dev/null ./cmd/mprof

generate:
	$(GO) generate ./...

clean:
	rm -rf bin build mprof-demo* mprof-profile.*
