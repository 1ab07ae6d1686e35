#!/bin/sh
# Prints the commands of the first sh block under "Try it" in README.md, one
# a line, so that CI runs what the README says.
set -eu
cd "$(dirname "$0")/.."
awk '/^## Try it/ { here = 1 }
     here && /^```sh/ { block = 1; next }
     block && /^```/ { exit }
     block { sub(/[ \t]*#.*/, ""); if ($0 != "") print }' README.md
