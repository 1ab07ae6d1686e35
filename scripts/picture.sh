#!/bin/sh
# Draws docs/flamegraph.png: the demo's profile in pprof's own flame graph, in
# headless Chromium (Debian: chromium). Run it after make demo.
set -eu
cd "$(dirname "$0")/.."
profile=${1:-mprof-demo.pb.gz}
work=$(mktemp -d)
address=127.0.0.1:18231
go tool pprof -no_browser -http="$address" "$profile" >"$work/log" 2>&1 &
server=$!
trap 'kill "$server"; rm -rf "$work"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
	curl -sf "http://$address/ui/" >/dev/null && break
	sleep 1
done
chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
	--disable-component-update --disable-sync --user-data-dir="$work/browser" --hide-scrollbars \
	--window-size=1500,450 --virtual-time-budget=8000 \
	--screenshot="docs/flamegraph.png" "http://$address/ui/flamegraph?si=samples"
