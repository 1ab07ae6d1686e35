// The functions with their numbers, sortable by each.
import { element, say } from "../element";
import { aligned, count, moment, percent, plural, plusMinus } from "../format";
import { colour } from "../flame/colours";
import { matcher } from "../flame/frames";
import type { App, View } from "./app";
import type { Func } from "./tree";
import type { Kind, Row } from "./wire";

interface Column {
	key: string;
	label: string;
	title: string;
	value(r: Row): number | string;
	text(r: Row): string;
	bar?: boolean;
}

const most = 400; // rows in the document

export class TableView implements View {
	readonly id = "table";
	readonly title = "Statistics";
	readonly root: HTMLElement;
	private kind: Kind | "" = "";
	private columns: Column[] = [];
	private by = "";
	private down = true;
	private readonly head = element("thead");
	private readonly body = element("tbody");
	private readonly note = element("p", { class: "note" });
	private readonly table = element("table", { class: "functions", "aria-label": "Functions" }, this.head, this.body);
	private readonly field = element("input", { type: "search", id: "table-filter", placeholder: "Filter functions and files", "aria-label": "Filter functions and files", spellcheck: "false", input: () => this.draw() });
	private readonly made = new Map<number, { row: HTMLTableRowElement; cells: HTMLTableCellElement[]; bar: HTMLElement }>();

	constructor(private readonly app: App) {
		this.root = element("div", { class: "view" }, element("div", { class: "tools" }, this.note, element("span", { class: "space" }), this.field),
			element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of functions" }, this.table));
	}

	draw(): void {
		const { store } = this.app;
		if (store.kind !== this.kind) this.make(store.kind);
		const match = matcher(this.field.value);
		const rows = [...store.rows.values()].filter((r) => {
			const f = store.functions[r.function];
			return f && (r.self || r.total || r.calls || r.open) && (!match || match(f.name) || match(f.file));
		});
		const column = this.columns.find((c) => c.key === this.by)!;
		const sign = this.down ? -1 : 1;
		rows.sort((a, b) => {
			const x = column.value(a);
			const y = column.value(b);
			return (x < y ? -1 : x > y ? 1 : 0) * sign || a.function - b.function;
		});
		const shown = rows.slice(0, most);
		const largest = Math.max(0, ...rows.map((r) => this.share(r)));
		const wanted = shown.map((r) => this.row(r, largest));
		// Only what is elsewhere is moved.
		let at = this.body.firstElementChild;
		for (const row of wanted) {
			if (row === at) at = at.nextElementSibling;
			else this.body.insertBefore(row, at);
		}
		while (at) {
			const next = at.nextElementSibling;
			at.remove();
			at = next;
		}
		const note = [plural(rows.length, "function") + (match ? ` of ${count(store.rows.size)}` : "")];
		if (rows.length > most) note.push(`the first ${most} are listed`);
		if (store.kind === "samples") note.push("± is the standard error, in percent points");
		else note.push("times without interrupts and other contexts; p50 and p99 within 1 %");
		say(this.note, rows.length ? note.join(" · ") : match ? "Nothing matches." : "There is nothing yet.");
	}

	key(e: KeyboardEvent): boolean {
		if (e.key === "/") this.field.focus();
		else if (e.key === "Escape" && document.activeElement === this.field) this.search("");
		else return false;
		return true;
	}

	search(text: string): void {
		this.field.value = text;
		this.draw();
	}

	private share(r: Row): number {
		return this.kind === "calls" ? (r.selfTime ?? 0) : (r.selfShare ?? 0);
	}

	private make(kind: Kind): void {
		this.kind = kind;
		this.columns = kind === "calls" ? this.ofCalls() : this.ofSamples();
		this.by = kind === "calls" ? "totalTime" : "self";
		this.down = true;
		this.made.clear();
		this.body.replaceChildren();
		this.table.dataset["kind"] = kind;
		this.head.replaceChildren(element("tr", {}, ...this.columns.map((c) =>
			element("th", { scope: "col", "data-key": c.key, title: c.title, class: c.key }, element("button", { type: "button", click: () => this.sort(c.key) }, c.label)))));
		this.arrow();
	}

	private sort(key: string): void {
		if (this.by === key) this.down = !this.down;
		else (this.by = key), (this.down = key !== "name" && key !== "file");
		this.arrow();
		this.draw();
	}

	private arrow(): void {
		for (const th of this.head.querySelectorAll("th")) {
			if (th.dataset["key"] === this.by) th.setAttribute("aria-sort", this.down ? "descending" : "ascending");
			else th.removeAttribute("aria-sort");
		}
	}

	private row(r: Row, largest: number): HTMLTableRowElement {
		let made = this.made.get(r.function);
		const f = this.app.store.functions[r.function]!;
		if (!made) {
			const bar = element("i", { class: "bar-of", "aria-hidden": "true" });
			const cells = this.columns.map((c) => element("td", { class: c.key }));
			const row = element("tr", { "data-function": f.name, title: "Find it in the flame graph", click: () => this.app.open("flame", exactly(f.name)) }, ...cells);
			made = { row, cells, bar };
			this.made.set(r.function, made);
			const name = cells[this.columns.findIndex((c) => c.key === "name")]!;
			name.append(element("span", { class: "name" }));
		}
		this.columns.forEach((c, i) => {
			const cell = made.cells[i]!;
			if (c.key === "name") return this.name(cell.firstElementChild!, f);
			say(cell, c.text(r));
		});
		const barAt = made.cells[this.columns.findIndex((c) => c.bar)]!;
		made.bar.style.width = `${largest > 0 ? (this.share(r) / largest) * 100 : 0}%`;
		made.bar.style.background = colour("", Math.max(0, f.category));
		if (made.bar.parentElement !== barAt) barAt.append(made.bar);
		return made.row;
	}

	private name(at: Element, f: Func): void {
		say(at, f.name);
		at.classList.toggle("label", f.label);
	}

	private ofSamples(): Column[] {
		const { store } = this.app;
		return [
			{ key: "self", label: "Self", title: "Share of the samples that ended in the function", value: (r) => r.self ?? 0, text: (r) => percent(r.selfShare ?? 0), bar: true },
			{ key: "selfError", label: "±", title: "Standard error of the share of self", value: (r) => r.selfError ?? 0, text: (r) => plusMinus(r.selfError ?? 0).slice(1) },
			{ key: "selfSamples", label: "Samples", title: "That ended in the function", value: (r) => r.self ?? 0, text: (r) => count(r.self ?? 0) },
			{ key: "total", label: "Total", title: "Share of the samples with the function on the stack", value: (r) => r.total ?? 0, text: (r) => percent(r.totalShare ?? 0) },
			{ key: "totalError", label: "±", title: "Standard error of the share of total", value: (r) => r.totalError ?? 0, text: (r) => plusMinus(r.totalError ?? 0).slice(1) },
			{ key: "totalSamples", label: "Samples", title: "With the function on the stack", value: (r) => r.total ?? 0, text: (r) => count(r.total ?? 0) },
			...names(store.functions),
		];
	}

	private ofCalls(): Column[] {
		const { store } = this.app;
		type Time = "selfTime" | "totalTime" | "min" | "mean" | "p50" | "p99" | "max" | "longestAt" | "longest";
		const longer = (r: Row, key: Time) => (r.atLeast && key !== "min" && key !== "longestAt" ? "> " : "");
		const time = (key: Time, label: string, title: string, bar = false): Column => ({ key, label, title, bar, value: (r) => r[key] ?? 0, text: (r) => (r.calls || key === "totalTime" || key === "selfTime" ? longer(r, key) + (key === "longestAt" ? moment : aligned)(r[key] ?? 0) : "–") });
		return [
			{ key: "calls", label: "Calls", title: "That returned", value: (r) => r.calls ?? 0, text: (r) => (r.open ? "–" : count(r.calls ?? 0)) },
			time("totalTime", "Total", "In the function and what it called"),
			time("selfTime", "Self", "In the function itself", true),
			time("min", "Min", "Shortest call"), time("mean", "Mean", "Of a call"), time("p50", "p50", "Median of the calls, within 1 %"),
			time("p99", "p99", "99th percentile of the calls, within 1 %"), time("max", "Max", "Longest call"), time("longestAt", "At", "When the longest call began"),
			time("longest", "On clock", "How long the longest call took with what interrupted it"),
			...names(store.functions),
		];
	}
}

// exactly is an expression for one name.
function exactly(name: string): string {
	return "^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$";
}

function names(functions: Func[]): Column[] {
	const place = (r: Row) => {
		const f = functions[r.function];
		return f?.file ? f.file.replace(/^.*[\\/]/, "") + (f.line ? ":" + f.line : "") : "";
	};
	return [
		{ key: "name", label: "Function", title: "As its author wrote it", value: (r) => functions[r.function]?.name ?? "", text: () => "" },
		{ key: "file", label: "File", title: "And line of the definition", value: place, text: place },
	];
}
