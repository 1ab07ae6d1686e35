// The flame graph of the run, as a whole or of one context.
import { element, say } from "../element";
import { duration, percent, plural, plusMinus } from "../format";
import type { Frame } from "../flame/frames";
import { FlameGraph } from "../flame/graph";
import type { App, View } from "./app";
import { contextChoice } from "./contexts";

export class FlameView implements View {
	readonly id = "flame";
	readonly title = "Flame graph";
	readonly root: HTMLElement;
	private readonly graph: FlameGraph;
	private readonly found = element("output", { class: "found", "aria-live": "polite" });
	private readonly field = element("input", { type: "search", id: "flame-search", placeholder: "Search functions", "aria-label": "Search functions, as a regular expression", spellcheck: "false", input: () => this.graph.search(this.field.value) });
	private readonly invert = element("button", { type: "button", id: "invert", "aria-pressed": "false", title: "Where time is spent first, its callers below (i)", click: () => this.toggle(this.invert) }, "Invert");
	private readonly idle = element("button", { type: "button", id: "idle", "aria-pressed": "true", title: "Time in WFI and WFE (d)", click: () => this.toggle(this.idle) }, "Idle");
	private readonly out = element("button", { type: "button", title: "Show all (Escape)", click: () => this.graph.zoomTo("") }, "Zoom out");
	private readonly context;
	private readonly empty = element("p", { class: "empty" });
	private run = 0;

	constructor(private readonly app: App) {
		this.context = contextChoice(app.store, () => (this.graph.zoomTo(""), this.draw()), () => app.state.connect.method !== "pcsr");
		this.graph = new FlameGraph((f, whole, inverted) => this.describe(f, whole, inverted));
		this.graph.onSearch = (f, whole) => {
			this.out.disabled = !this.graph.zoomed;
			say(this.found, f ? `${percent(whole.total ? f.total / whole.total : 0)} in ${plural(f.frames, "frame")}` : "");
		};
		this.root = element("div", { class: "view" },
			element("div", { class: "tools" }, this.context.root, this.idle, this.invert, this.out, element("span", { class: "space" }), this.found, this.field),
			this.empty, this.graph.box, this.graph.details);
	}

	draw(): void {
		const { store } = this.app;
		if (store.run !== this.run) {
			this.run = store.run;
			this.graph.zoomTo("");
		}
		this.context.draw();
		this.idle.hidden = store.kind === "calls";
		const tree = store.tree(this.context.choice, this.idle.hidden || this.idle.getAttribute("aria-pressed") === "true");
		const nothing = tree.total === 0;
		this.empty.hidden = !nothing;
		say(this.empty, store.kind === "calls" ? "No call has returned yet." : "There are no samples yet.");
		this.graph.box.hidden = this.graph.details.hidden = nothing;
		if (!nothing) this.graph.show(tree);
	}

	search(text: string): void {
		this.field.value = text;
		this.graph.search(text);
	}

	key(e: KeyboardEvent): boolean {
		if (e.key === "/") this.field.focus();
		else if (e.key === "i") this.toggle(this.invert);
		else if (e.key === "d") this.toggle(this.idle);
		else if (e.key === "Escape" && document.activeElement === this.field) this.search(""), this.graph.box.focus();
		else return false;
		return true;
	}

	private toggle(button: HTMLButtonElement): void {
		const on = button.getAttribute("aria-pressed") !== "true";
		button.setAttribute("aria-pressed", String(on));
		if (button === this.invert) this.graph.setInverted(on);
		this.draw();
	}

	private describe(f: Frame, whole: Frame, inverted: boolean): string[] {
		const { store } = this.app;
		const samples = store.kind === "samples";
		const value = (n: number) => `${percent(whole.total ? n / whole.total : 0)}${samples ? this.error(f, n, whole.total) : ""} (${samples ? plural(n, "sample") : duration(n / 1e9)})`;
		if (f === whole) return [this.context.name, samples ? plural(f.total, "sample") : duration(f.total / 1e9)];
		const of = store.functions[f.function];
		const place = of?.file ? `${of.file}${of.line ? ":" + of.line : ""}` : "";
		const lines = [f.name + (f.inlined ? " (inlined)" : ""), `total ${value(f.total)}`];
		if (!inverted) lines.push(`self ${value(f.self)}`);
		if (!inverted && f.asleep > 0) lines.push(`asleep ${value(f.asleep)}`);
		if (!samples && !inverted) lines.push(plural(store.calls(f, this.context.choice), "call"));
		return place ? [...lines, place] : lines;
	}

	// error is the standard error of a path's share: samples of a run may hang
	// together, as much as mprof says of the function's own share.
	private error(f: Frame, n: number, all: number): string {
		const row = this.app.store.rows.get(f.function);
		const { taken = 0, idleShare = 0, idleError = 0 } = this.app.store.status ?? {};
		const spread = f.function < 0 ? variance(idleShare, idleError, taken) : row && (variance(row.totalShare, row.totalError, taken) ?? variance(row.selfShare, row.selfError, taken));
		const p = n / all;
		return spread === undefined ? "" : ` ${plusMinus(Math.sqrt((p * (1 - p) * spread) / all))}`;
	}
}

// variance of a share by that of as many independent samples.
function variance(share = 0, error = 0, samples: number): number | undefined {
	const independent = (share * (1 - share)) / samples;
	return independent > 0 ? (error * error) / independent : undefined;
}
