// mprofFlame draws the flame graph of a file into an element, with its search,
// and the facts of the run below.
import { element, say } from "../element";
import { count, duration, percent, plural, plusMinus } from "../format";
import { type Data, type Frame, fromData } from "./frames";
import { FlameGraph } from "./graph";

// Graph is what the Go side writes. Values are samples or nanoseconds.
interface Graph {
	unit: "samples" | "ns";
	roots: Data[];
	title: string;
	facts: [string, string][];
	// How many times the variance of a share is that of as many independent
	// samples; absent: standard errors are not known.
	spread?: number;
}

declare global {
	var mprofFlame: (at: HTMLElement, graph: Graph) => void;
}

globalThis.mprofFlame = (at, graph) => {
	const root = fromData(graph.roots);
	const flame = new FlameGraph((f, whole, inverted) => describe(graph, f, whole, inverted));
	const result = element("output", { class: "flame-found", "aria-live": "polite" });
	const search = element("input", { type: "search", placeholder: "Search (/)", "aria-label": "Search functions", spellcheck: "false", input: () => flame.search(search.value) });
	const invert = element("button", { type: "button", "aria-pressed": "false", title: "Functions where time is spent first, their callers below (i)", click: () => toggle() }, "Invert");
	const all = element("button", { type: "button", title: "Show all (Escape)", click: () => flame.zoomTo("") }, "Zoom out");
	const toggle = () => {
		const on = invert.getAttribute("aria-pressed") !== "true";
		invert.setAttribute("aria-pressed", String(on));
		flame.setInverted(on);
	};
	flame.onSearch = (f, whole) => {
		all.disabled = !flame.zoomed;
		say(result, f ? `${percent(whole.total ? f.total / whole.total : 0)} in ${plural(f.frames, "frame")}` : "");
	};
	at.classList.add("flame-page");
	at.replaceChildren(
		element("header", { class: "flame-bar" }, element("h1", {}, graph.title), element("div", { class: "flame-tools" }, result, search, invert, all)),
		flame.box,
		flame.details,
		element("dl", { class: "flame-facts" }, ...graph.facts.map(([label, value]) => element("div", {}, element("dt", {}, label), element("dd", {}, value)))),
	);
	document.addEventListener("keydown", (e) => {
		if (e.target === search) {
			if (e.key === "Escape") (search.value = ""), flame.search(""), flame.box.focus();
			return;
		}
		if (e.ctrlKey || e.altKey || e.metaKey) return;
		if (e.key === "/") search.focus(), e.preventDefault();
		else if (e.key === "i") toggle();
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => flame.draw(false));
	flame.show(root);
};

function describe(graph: Graph, f: Frame, whole: Frame, inverted: boolean): string[] {
	const value = (n: number): string => {
		const share = whole.total ? n / whole.total : 0;
		const error = graph.unit === "samples" && graph.spread && whole.total ? ` ${plusMinus(Math.sqrt((share * (1 - share) * graph.spread) / whole.total))}` : "";
		return `${percent(share)}${error} (${graph.unit === "ns" ? duration(n / 1e9) : plural(n, "sample")})`;
	};
	if (f === whole) return [f.name, graph.unit === "ns" ? duration(f.total / 1e9) : count(f.total) + " samples"];
	const lines = [f.name + (f.inlined ? " (inlined)" : ""), value(f.total)];
	if (!inverted) lines.push(`self ${value(f.self)}`);
	return lines;
}
