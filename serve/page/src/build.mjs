// Builds ../dist, the live page, and ../flame, the flame graph for files. The
// same sources and package-lock.json give the same bytes.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { licences, packagesIn } from "./licences.mjs";

const dist = process.argv[2] ?? "..";

const common = {
	bundle: true,
	minify: true,
	write: false,
	metafile: true,
	legalComments: "none",
	target: ["chrome111", "firefox115", "safari16.4"],
	charset: "utf8",
	logLevel: "warning",
	plugins: [{
		// Its style sheet is for another look: ours has all rules.
		name: "no-style-of-d3-flame-graph",
		setup(b) {
			b.onLoad({ filter: /d3-flamegraph\.css$/ }, () => ({ contents: "", loader: "empty" }));
		},
	}],
};

async function bundle(entry, more = {}) {
	const result = await build({ ...common, entryPoints: [entry], ...more });
	return { text: result.outputFiles[0].text, packages: packagesIn(result.metafile) };
}

// flame: one script and one style, for HTML files that stand alone; with the licences in it.
mkdirSync(`${dist}/flame`, { recursive: true });
const flame = await bundle("flame/standalone.ts", { format: "iife" });
writeFileSync(`${dist}/flame/flame.js`, `/*\n${licences(flame.packages).replaceAll("*/", "* /")}*/\n${flame.text}`);
writeFileSync(`${dist}/flame/flame.css`, (await bundle("flame/standalone.css")).text);

// dist: the live page.
mkdirSync(`${dist}/dist`, { recursive: true });
const page = await bundle("page/main.ts", { format: "iife" });
const style = await bundle("page/page.css");
writeFileSync(`${dist}/dist/page.js`, page.text);
writeFileSync(`${dist}/dist/page.css`, style.text);
writeFileSync(`${dist}/dist/index.html`, readFileSync("page/index.html"));
writeFileSync(`${dist}/dist/licences.txt`, licences([...new Set([...page.packages, ...style.packages])].sort()));
