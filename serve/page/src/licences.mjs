// The licences of what is in a bundle, from the packages themselves.
import { readFileSync, readdirSync } from "node:fs";

// packagesIn lists the packages that esbuild's metafile names.
export function packagesIn(metafile) {
	const names = new Set();
	for (const path of Object.keys(metafile.inputs)) {
		const at = path.lastIndexOf("node_modules/");
		if (at < 0) continue;
		const parts = path.slice(at + "node_modules/".length).split("/");
		names.add(parts[0].startsWith("@") ? parts.slice(0, 2).join("/") : parts[0]);
	}
	return [...names].sort();
}

// licences is their text: packages of the same licence stand together.
export function licences(packages) {
	const byText = new Map();
	for (const name of packages) {
		const dir = `node_modules/${name}`;
		const { version } = JSON.parse(readFileSync(`${dir}/package.json`, "utf8"));
		const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
		if (!file) throw new Error(`licences: ${name} has no licence file`);
		const text = readFileSync(`${dir}/${file}`, "utf8").trim().replaceAll("\r\n", "\n");
		// Those of d3 differ in the years alone.
		const key = text.replace(/^Copyright .*$/m, "");
		const entry = byText.get(key) ?? { text: key.trim(), packages: [] };
		const copyright = text.match(/^Copyright .*$/m)?.[0] ?? "";
		entry.packages.push(`${name} ${version}${copyright && !copyright.includes("[yyyy]") ? ": " + copyright : ""}`);
		byText.set(key, entry);
	}
	return [...byText.values()].map((e) => e.packages.join("\n") + "\n\n" + e.text + "\n").join("\n----------------------------------------\n\n");
}
