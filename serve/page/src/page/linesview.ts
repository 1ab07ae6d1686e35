// The hottest lines, each with the source around it.
import { element, say } from "../element";
import { count, percent, plusMinus } from "../format";
import type { App, View } from "./app";
import type { Line } from "./wire";

const most = 25;

export class LinesView implements View {
	readonly id = "lines";
	readonly title = "Lines";
	readonly root: HTMLElement;
	private readonly note = element("p", { class: "note" });
	private readonly list = element("ol", { class: "lines" });
	private readonly dialog = element("dialog", { class: "source", "aria-label": "Source file" });
	private asked = "";
	private shown = "";

	constructor(private readonly app: App) {
		this.root = element("div", { class: "view" }, element("div", { class: "tools" }, this.note), this.list, this.dialog);
		this.dialog.addEventListener("click", (e) => e.target === this.dialog && this.dialog.close());
	}

	// draw asks for the lines, where something is new since they were asked for.
	draw(): void {
		const { store, socket } = this.app;
		const at = `${store.run}.${store.rev}`;
		if (at === this.asked || !store.status) return;
		this.asked = at;
		socket.ask<Line[] | null>("lines", { most, function: -1, context: 3 }).then((lines) => this.show(lines ?? []), () => (this.asked = ""));
	}

	key(): boolean {
		return false;
	}

	private show(lines: Line[]): void {
		const key = JSON.stringify(lines);
		if (key === this.shown) return;
		this.shown = key;
		const calls = this.app.store.kind === "calls";
		say(this.note, lines.length === 0 ? "There are no lines yet: the program has no debug information of them, or nothing was collected."
			: calls ? "The lines where the functions with the most time begin. A trace does not say where inside of them." : "Where the samples stood, most first. ± is the standard error, in percent points.");
		const known = new Map([...this.list.children].map((c) => [(c as HTMLElement).dataset["at"], c as HTMLLIElement]));
		const wanted = lines.map((l) => this.card(l, lines, known.get(`${l.file}:${l.line}`), calls));
		if (wanted.some((w, i) => w !== this.list.children[i]) || wanted.length !== this.list.childElementCount) this.list.replaceChildren(...wanted);
	}

	private card(l: Line, all: Line[], made: HTMLLIElement | undefined, calls: boolean): HTMLLIElement {
		const card = made ?? this.make(l, all);
		const largest = Math.max(...all.map((x) => x.share), 1e-12);
		say(card.querySelector(".share")!, percent(l.share));
		say(card.querySelector(".error")!, calls ? "" : plusMinus(l.error));
		say(card.querySelector(".self")!, calls ? `${count(l.self)} calls` : count(l.self));
		card.querySelector<HTMLElement>(".bar-of")!.style.width = `${(l.share / largest) * 100}%`;
		return card;
	}

	private make(l: Line, all: Line[]): HTMLLIElement {
		const file = l.file.replace(/^.*[\\/]/, "");
		const open = element("button", { type: "button", class: "link", title: l.file, click: () => this.open(l, all) }, `${file}:${l.line}`);
		const source = (l.source ?? []).map((text, i) => {
			const number = l.first + i;
			return element("span", { class: number === l.line ? "hot" : "" }, element("b", {}, String(number)), text.replaceAll("\t", "    ") + "\n");
		});
		return element("li", { "data-at": `${l.file}:${l.line}` },
			element("div", { class: "hottest" }, element("span", { class: "share" }), element("span", { class: "error" }), element("span", { class: "self" }),
				element("span", { class: "of" }, element("i", { class: "bar-of", "aria-hidden": "true" })), element("span", { class: "name" }, l.name), open),
			source.length ? element("pre", { tabindex: 0 }, ...source) : element("p", { class: "note" }, "The source cannot be read here."));
	}

	// open shows the whole file with what is known of its lines beside them.
	private async open(l: Line, all: Line[]): Promise<void> {
		let text: string;
		try {
			text = (await this.app.socket.ask<{ text: string }>("source", { file: l.file })).text;
		} catch (error) {
			return this.app.fail(error);
		}
		const shares = new Map(all.filter((x) => x.file === l.file).map((x) => [x.line, percent(x.share)]));
		const lines = text.replace(/\n$/, "").split("\n").map((line, i) => element("span", { class: i + 1 === l.line ? "hot" : "" },
			element("em", {}, shares.get(i + 1) ?? ""), element("b", {}, String(i + 1)), line.replaceAll("\t", "    ") + "\n"));
		this.dialog.replaceChildren(
			element("header", {}, element("h2", {}, l.file), element("button", { type: "button", class: "icon", "aria-label": "Close", click: () => this.dialog.close() }, "✕")),
			element("pre", { tabindex: 0 }, ...lines));
		this.dialog.showModal();
		lines[l.line - 1]?.scrollIntoView({ block: "center" });
	}
}
