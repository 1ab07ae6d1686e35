#!/bin/bash
# Runs every fuzz target of the tree for FUZZTIME (10s), one after the other.
# An argument chooses those whose name or package contains it.
set -euo pipefail
cd "$(dirname "$0")/.."
fuzztime=${FUZZTIME:-10s}
failed=()
count=0
fuzz() { go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 100x "$package" 2>&1; }
# Go's fuzzer fails now and then because its own time is over, with no input that fails.
ended_late() { grep -q 'context deadline exceeded' <<<"$out" && ! grep -q 'Failing input' <<<"$out"; }
while IFS=: read -r file target; do
	package=./$(dirname "$file")
	case "$package.$target" in *"${1:-}"*) ;; *) continue ;; esac
	count=$((count + 1))
	# A target that nothing is found in says one line.
	# An interesting input is not made smaller for long: that would take all of the time.
	if out=$(fuzz) || { ended_late && out=$(fuzz); }; then
		printf 'ok    %s %s, %s executions\n' "$package" "$target" "$(grep -o 'execs: [0-9]*' <<<"$out" | tail -1 | cut -d' ' -f2)"
	else
		printf '%s\nFAIL  %s %s\n' "$out" "$package" "$target"
		failed+=("$package $target")
	fi
done < <(git ls-files -co --exclude-standard '*_test.go' | xargs grep -oE '^func Fuzz[A-Za-z0-9_]+' | sed 's/func //' | sort)
((count > 0)) || { echo "no fuzz target${1:+ matches $1}"; exit 1; }
if ((${#failed[@]})); then
	printf 'failed: %s\n' "${failed[@]}"
	exit 1
fi
