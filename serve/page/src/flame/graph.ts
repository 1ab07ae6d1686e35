// The flame graph: d3-flame-graph draws it; here are its numbers, zoom, search
// and keys. Callers are above their callees.
import { select } from "d3-selection";
import type { HierarchyRectangularNode } from "d3-hierarchy";
import flamegraph from "d3-flame-graph";
import { calm, element, say } from "../element";
import { plural } from "../format";
import { colour, found } from "./colours";
import { type Frame, invert, type Match, matched, matcher } from "./frames";
import { type Shown, type ShownNode, visible } from "./visible";

const row = 20; // pixels

// Described is what is said of a frame, line by line; the first is its name.
export type Describe = (f: Frame, root: Frame, inverted: boolean) => string[];

export class FlameGraph {
	readonly box: HTMLDivElement; // takes the focus and the keys
	readonly details: HTMLDivElement;
	onSearch: (found: { total: number; frames: number } | null, root: Frame) => void = () => {};

	private tree: Frame | null = null;
	private root: Frame | null = null; // the tree, or the inverted one
	private zoom = ""; // id of the frame that fills the width; "": all
	private chosen = ""; // id of the frame that the keys are at
	private inverted = false;
	private match: Match | null = null;
	private readonly tip = element("div", { class: "flame-tip", hidden: true });
	private readonly chart = flamegraph<Shown>().cellHeight(row).inverted(true).tooltip(noTooltip());

	constructor(private readonly describe: Describe) {
		this.details = element("div", { class: "flame-details", "aria-live": "polite" });
		this.box = element("div", {
			class: "flame", tabindex: 0, role: "application", "aria-roledescription": "flame graph",
			"aria-label": "Flame graph. Arrow keys move between frames, Enter zooms, Escape shows all.",
			keydown: (e: KeyboardEvent) => this.key(e),
			pointermove: (e: PointerEvent) => this.hover(e),
			pointerleave: () => this.leave(),
		});
		this.box.addEventListener("click", (e) => this.click(e), { capture: true });
		this.box.append(this.tip);
		this.chart
			.getName((d) => d.data.name)
			.setColorMapper((d) => {
				const { frame, narrow } = d.data;
				if (!frame.parent) return "var(--all)";
				return (d as ShownNode).highlight ? found(frame.name) : colour(narrow ? "" : frame.name, frame.category);
			});
		new ResizeObserver(() => this.draw(false)).observe(this.box);
	}

	// show draws new numbers; zoom, search and the chosen frame stay.
	show(tree: Frame): void {
		this.tree = tree;
		this.root = this.inverted ? invert(tree) : tree;
		this.draw(false);
	}

	setInverted(on: boolean): void {
		if (this.inverted === on) return;
		this.inverted = on;
		this.zoom = this.chosen = "";
		if (this.tree) this.show(this.tree);
	}

	search(typed: string): void {
		this.match = matcher(typed);
		this.draw(false);
	}

	// zoomTo makes a frame as wide as the graph; "" shows all.
	zoomTo(id: string): void {
		this.zoom = id;
		this.draw(true);
	}

	get zoomed(): boolean {
		return this.zoom !== "" && this.zoom !== this.root?.id;
	}

	// draw again what is known, also after the theme changed.
	draw(moving: boolean): void {
		const width = this.box.clientWidth;
		if (!this.root || width === 0) return;
		const zoom = (this.zoom && find(this.root, this.zoom)) || this.root;
		const shown = visible(zoom, width);
		const match = this.match;
		if (match) shown.each((n) => ((n as ShownNode).highlight = n.data.frame.parent !== null && match(n.data.name)));
		this.box.classList.toggle("searching", match !== null);
		const height = (shown.height + 1) * row;
		this.chart.width(width).height(height).transitionDuration(moving && !calm() ? 160 : 0);
		const box = select(this.box);
		// The first call makes the picture. Data of later ones would get new ids: they are laid out already.
		if (box.select("svg").empty()) box.datum(shown.data).call(this.chart);
		box.datum(shown);
		this.chart.update();
		box.select("svg").attr("height", height).attr("aria-hidden", "true");
		this.onSearch(match && matched(this.root, match), this.root);
		this.mark();
	}

	private frames(): { g: SVGGElement; d: HierarchyRectangularNode<Shown> }[] {
		return [...this.box.querySelectorAll<SVGGElement>("g.frame")].map((g) => ({ g, d: select<SVGGElement, HierarchyRectangularNode<Shown>>(g).datum() }));
	}

	// mark sets the classes that d3-flame-graph's own drawing takes away.
	private mark(): void {
		let chosen: HierarchyRectangularNode<Shown> | undefined;
		for (const { g, d } of this.frames()) {
			const { frame, fade, narrow } = d.data;
			g.setAttribute("class", "frame" + (fade ? " fade" : "") + (narrow ? " narrow" : "") + (frame.inlined ? " inlined" : "") + ((d as ShownNode).highlight ? " found" : "") + (frame.id === this.chosen ? " chosen" : ""));
			if (frame.id === this.chosen) chosen = d;
		}
		this.detail(chosen?.data ?? null);
	}

	private detail(s: Shown | null): void {
		if (!this.root) return;
		say(this.details, (s ? this.lines(s) : this.describe(this.root, this.root, this.inverted)).join("\u2002·\u2002"));
	}

	private lines(s: Shown): string[] {
		const lines = this.describe(s.frame, this.root!, this.inverted);
		return s.narrow ? [plural(s.narrow, "function") + " too narrow to draw here", ...lines.slice(1, 2)] : lines;
	}

	private at(e: Event): Shown | null {
		const g = (e.target as Element).closest?.("g.frame");
		return g ? select<Element, HierarchyRectangularNode<Shown>>(g).datum().data : null;
	}

	private click(e: MouseEvent): void {
		const s = this.at(e);
		if (!s) return;
		e.stopPropagation(); // d3-flame-graph would zoom into what is drawn, not into the finer tree
		this.chosen = s.frame.id;
		this.zoomTo(s.narrow ? s.frame.parent!.id : s.frame.id);
	}

	private hover(e: PointerEvent): void {
		const s = this.at(e);
		this.tip.hidden = !s || e.pointerType === "touch";
		if (!s) return;
		const [name, ...rest] = this.lines(s);
		this.tip.replaceChildren(element("b", {}, name ?? ""), ...rest.map((line) => element("span", {}, line)));
		const box = this.box.getBoundingClientRect();
		const x = Math.min(e.clientX - box.left + 14, box.width - this.tip.offsetWidth - 4);
		this.tip.style.transform = `translate(${Math.max(0, x)}px, ${e.clientY - box.top + this.box.scrollTop + 18}px)`;
	}

	private leave(): void {
		this.tip.hidden = true;
	}

	private key(e: KeyboardEvent): void {
		if (e.ctrlKey || e.altKey || e.metaKey) return;
		if (e.key === "Escape" && (this.zoomed || this.chosen)) {
			this.chosen = "";
			this.zoomTo("");
		} else if (e.key === "Enter" && this.chosen) {
			this.zoomTo(this.chosen);
		} else if (e.key.startsWith("Arrow")) {
			this.move(e.key);
		} else {
			return;
		}
		e.preventDefault();
	}

	private move(key: string): void {
		const all = this.frames();
		const from = all.find(({ d }) => d.data.frame.id === this.chosen)?.d ?? null;
		let to = from && (key === "ArrowUp" ? from.parent : key === "ArrowDown" ? widest(from) : beside(all.map(({ d }) => d), from, key === "ArrowLeft" ? -1 : 1));
		to ??= from ?? all.find(({ d }) => d.parent === null)?.d ?? null;
		if (!to) return;
		this.chosen = to.data.frame.id;
		this.mark();
		all.find(({ d }) => d === to)?.g.scrollIntoView({ block: "nearest" });
	}
}

function widest(d: HierarchyRectangularNode<Shown>): HierarchyRectangularNode<Shown> | null {
	return (d.children ?? []).reduce<HierarchyRectangularNode<Shown> | null>((best, c) => (!best || c.x1 - c.x0 > best.x1 - best.x0 ? c : best), null);
}

// beside is the next frame of the same depth to the left or right.
function beside(all: HierarchyRectangularNode<Shown>[], from: HierarchyRectangularNode<Shown>, by: number): HierarchyRectangularNode<Shown> | null {
	const level = all.filter((d) => d.depth === from.depth).sort((a, b) => a.x0 - b.x0);
	return level[level.indexOf(from) + by] ?? null;
}

function find(root: Frame, id: string): Frame | null {
	const pending = [root];
	for (let f = pending.pop(); f; f = pending.pop()) {
		if (f.id === id) return f;
		pending.push(...f.children);
	}
	return null;
}

// noTooltip keeps d3-flame-graph from giving each frame a title of its own.
function noTooltip(): object {
	return Object.assign(() => {}, { show: () => {}, hide: () => {} });
}
