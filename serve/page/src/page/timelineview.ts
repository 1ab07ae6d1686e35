// The timeline: what ran when, in each context. The window is asked from
// mprof, no finer than the pixels; it follows what comes until it is moved.
import uPlot from "uplot";
import { element, say } from "../element";
import { count, duration, plural, significant } from "../format";
import type { App, View } from "./app";
import { contextChoice } from "./contexts";
import { type Hit, hit, Layout, paint } from "./lanes";
import { type Movable, navigate } from "./navigate";
import { Overview } from "./overview";
import type { Timeline } from "./wire";

const shortest = 2e-6; // seconds in the window
const firstLength = { samples: 5, calls: 1 };

export class TimelineView implements View, Movable {
	readonly id = "timeline";
	readonly title = "Timeline";
	readonly root: HTMLElement;
	private from = 0;
	private length = 0; // 0: not chosen yet
	private following = true;
	private answer: Timeline | null = null;
	private wanted = ""; // of the latest request
	private asking = false;
	private plot: uPlot | null = null;
	private chosen: Hit | null = null;
	private run = 0;
	private readonly layout = new Layout();
	private readonly overview = new Overview((middle) => this.moveTo(middle - this.length / 2, middle + this.length / 2));
	private readonly box = element("div", { class: "plot" });
	private readonly scroll = element("div", { class: "scroll timeline", tabindex: 0, role: "application", "aria-roledescription": "timeline", "aria-label": "Timeline of contexts. Arrow keys move, plus and minus zoom, f follows.", keydown: (e: KeyboardEvent) => this.move(e) && e.preventDefault() }, this.box);
	private readonly tip = element("div", { class: "flame-tip", hidden: true });
	private readonly details = element("div", { class: "flame-details", "aria-live": "polite" });
	private readonly note = element("p", { class: "note" });
	private readonly follow = element("button", { type: "button", id: "follow", "aria-pressed": "true", title: "Follow what comes (f)", click: () => this.setFollowing(!this.following) }, "Follow");
	private readonly context;

	constructor(private readonly app: App) {
		this.context = contextChoice(app.store, () => this.draw());
		const button = (label: string, title: string, does: () => void) => element("button", { type: "button", class: "icon", title, "aria-label": title, click: does }, label);
		this.root = element("div", { class: "view" },
			element("div", { class: "tools" }, this.context.root, this.follow, button("+", "Zoom in", () => this.zoom(0.5)), button("−", "Zoom out", () => this.zoom(2)),
				element("button", { type: "button", id: "whole", title: "The whole run (Home)", click: () => this.whole() }, "Whole run"), element("span", { class: "space" }), this.note),
			this.overview.root, element("div", { class: "over-plot" }, this.scroll, this.tip), this.details);
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	draw(): void {
		const { store } = this.app;
		if (store.run !== this.run) this.forget();
		this.context.draw();
		const { from, to } = this.window();
		this.overview.draw(from, to, this.elapsed, this.answer?.since ?? 0, store.events);
		this.ask();
		this.redraw();
	}

	// again draws with the colours of another theme.
	again(): void {
		this.plot?.destroy();
		this.plot = null;
		this.redraw();
	}

	key(e: KeyboardEvent): boolean {
		return this.move(e);
	}

	window(): { from: number; to: number } {
		const length = this.length || firstLength[this.app.store.kind];
		return this.following ? { from: Math.max(0, this.elapsed - length), to: Math.max(this.elapsed, length) } : { from: this.from, to: this.from + length };
	}

	moveTo(from: number, to: number): void {
		const length = Math.min(Math.max(to - from, shortest), Math.max(this.elapsed, firstLength[this.app.store.kind]));
		const middle = (from + to) / 2;
		this.length = length;
		this.from = Math.min(Math.max(0, middle - length / 2), Math.max(0, this.elapsed - length));
		this.setFollowing(false);
	}

	point(x: number, y: number, pointer: string): void {
		const lines = this.at(x, y);
		this.tip.hidden = lines.length === 0 || pointer === "touch";
		if (this.tip.hidden) return;
		const [name, ...rest] = lines;
		this.tip.replaceChildren(element("b", {}, name ?? ""), ...rest.map((line) => element("span", {}, line)));
		const room = this.scroll.clientWidth - this.tip.offsetWidth - 4;
		this.tip.style.transform = `translate(${Math.max(0, Math.min(x + 14, room))}px, ${y - this.scroll.scrollTop + 50}px)`;
	}

	leave(): void {
		this.tip.hidden = true;
	}

	choose(x: number, y: number, twice: boolean): void {
		if (!this.plot) return;
		this.chosen = this.hit(x, y);
		if (twice && this.chosen) {
			const { lane, span } = this.chosen;
			const length = lane.length![span]!;
			this.moveTo(lane.start![span]! - length * 0.1, lane.start![span]! + length * 1.1);
		}
		say(this.details, this.chosen ? this.lines(this.chosen).join("\u2002·\u2002") : "");
		this.redraw();
	}

	private get elapsed(): number {
		return this.app.store.status?.elapsed ?? 0;
	}

	private forget(): void {
		this.run = this.app.store.run;
		this.from = this.length = 0;
		this.answer = this.chosen = null;
		this.wanted = "";
		this.setFollowing(true, false);
	}

	private setFollowing(on: boolean, draw = true): void {
		if (this.following && !on && this.length === 0) this.length = firstLength[this.app.store.kind];
		this.following = on;
		this.follow.setAttribute("aria-pressed", String(on));
		if (draw) this.draw();
	}

	private zoom(by: number): void {
		const { from, to } = this.window();
		const length = Math.max(shortest, (to - from) * by);
		if (this.following) {
			this.length = Math.min(length, Math.max(this.elapsed, firstLength[this.app.store.kind]));
			return this.draw();
		}
		this.moveTo((from + to - length) / 2, (from + to + length) / 2);
	}

	private whole(): void {
		this.moveTo(0, Math.max(this.elapsed, shortest));
	}

	private move(e: KeyboardEvent): boolean {
		const { from, to } = this.window();
		const by = (to - from) / 5;
		if (e.key === "ArrowLeft") this.moveTo(from - by, to - by);
		else if (e.key === "ArrowRight") this.moveTo(from + by, to + by);
		else if (e.key === "+" || e.key === "=") this.zoom(0.5);
		else if (e.key === "-" || e.key === "−") this.zoom(2);
		else if (e.key === "f" || e.key === "End") this.setFollowing(e.key === "End" || !this.following);
		else if (e.key === "Home") this.whole();
		else return false;
		e.stopPropagation();
		return true;
	}

	// ask gets the window, unless it is here; one question at a time.
	private async ask(): Promise<void> {
		const { store, socket } = this.app;
		const { from, to } = this.window();
		const pixels = Math.max(1, Math.min(8192, Math.round(this.box.clientWidth)));
		const key = JSON.stringify([store.run, this.context.track, pixels, from, to, to >= this.elapsed || this.answer === null ? store.rev : 0]);
		if (this.asking || key === this.wanted || !store.status || this.box.clientWidth === 0) return;
		this.asking = true;
		this.wanted = key;
		try {
			// A margin on both sides shows something while the window moves.
			const margin = this.following ? 0 : (to - from) / 2;
			const answer = await socket.ask<Timeline>("timeline", { from: Math.max(0, from - margin), to: Math.max(to + margin, 1e-6), pixels: this.following ? pixels : 2 * pixels, track: this.context.track, depth: 0 });
			if (answer.run === store.run) this.answer = answer;
		} catch {
			this.wanted = "";
			this.asking = false;
			return;
		}
		this.asking = false;
		this.redraw();
		this.ask();
	}

	private redraw(): void {
		const t = this.answer;
		if (this.box.clientWidth === 0) return;
		this.plot ??= this.make();
		if (t) this.layout.place(t);
		const size = { width: this.box.clientWidth, height: Math.max(120, this.layout.height + 34) };
		if (this.plot.width !== size.width || this.plot.height !== size.height) this.plot.setSize(size);
		const { from, to } = this.window();
		this.plot.setData([[from, to], [0, 0]], false);
		this.plot.setScale("x", { min: from, max: to });
		const older = t && t.since > from ? `before ${duration(t.since)} only sums are kept · ` : "";
		this.box.dataset["from"] = String(from);
		this.box.dataset["to"] = String(to);
		say(this.note, !t ? "" : `${duration(to - from, 3)} · ` + older + (t.exact ? (this.app.store.kind === "calls" ? "single calls" : "single samples") : "what is narrower than a pixel is one"));
	}

	private make(): uPlot {
		this.box.replaceChildren();
		const style = getComputedStyle(document.documentElement);
		const soft = style.getPropertyValue("--soft").trim();
		const line = style.getPropertyValue("--line").trim();
		const plot = new uPlot({
			width: this.box.clientWidth, height: 160, padding: [0, 0, 0, 0],
			legend: { show: false },
			cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
			scales: { x: { time: false }, y: { range: [0, 1] } },
			axes: [
				{ side: 0, size: 30, stroke: soft, font: `11px ${getComputedStyle(document.body).fontFamily}`, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 5 }, space: 96, values: (u, splits) => ticks(splits, u.scales["x"]!.min!, u.scales["x"]!.max!) },
				{ show: false },
			],
			series: [{}, { show: false }],
			hooks: { draw: [(u) => this.answer && paint(u, this.layout, this.answer, this.app.store, this.chosen, this.app.state.phase === "running" ? this.elapsed : 0)] },
		}, [[0, 1], [0, 0]], this.box);
		navigate(plot, this);
		return plot;
	}

	private hit(x: number, y: number): Hit | null {
		if (!this.plot || !this.answer) return null;
		const slack = ((this.window().to - this.window().from) / Math.max(1, this.box.clientWidth)) * 1.5;
		return hit(this.layout, this.plot.posToVal(x, "x"), y, slack);
	}

	private at(x: number, y: number): string[] {
		if (!this.plot || !this.answer) return [];
		const span = this.hit(x, y);
		if (span) return this.lines(span);
		const time = this.plot.posToVal(x, "x");
		const near = Math.abs(this.plot.posToVal(x + 6, "x") - time);
		const events = [...(this.answer.gaps ?? []), ...this.app.store.events].find((e) => time >= e.time - near && time <= e.time + e.duration + near);
		return events ? [events.name, `at ${duration(events.time)}` + (events.duration > 0 ? `, for ${duration(events.duration)}` : ""), events.detail].filter(Boolean) : [];
	}

	private lines({ lane, span }: Hit): string[] {
		const f = this.app.store.functions[lane.function![span]!];
		const many = lane.count![span]!;
		const calls = this.app.store.kind === "calls";
		const lines = [f?.name ?? "not known", `${lane.name}, at ${significant(lane.start![span]!, 9)} s`, `${duration(lane.length![span]!)}${calls && many > 1 ? ` of ${count(many)} calls, too short to draw` : calls ? "" : `, ${plural(many, "sample")}`}`];
		return f?.file ? [...lines, `${f.file}${f.line ? ":" + f.line : ""}`] : lines;
	}
}

// ticks of the axis, with as many digits as tell them apart.
function ticks(splits: number[], from: number, to: number): (string | null)[] {
	const length = to - from;
	const step = splits.length > 1 ? splits[1]! - splits[0]! : length;
	const last = splits.at(-1) ?? length;
	const [unit, name] = last < 2e-3 ? [1e-6, "µs"] : last < 2 ? [1e-3, "ms"] : [1, "s"];
	const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
	const edge = length * 0.025; // labels there would be cut
	return splits.map((s) => (s < from + edge || s > to - edge) && from > 0 ? null : `${(s / unit).toFixed(Math.min(9, digits))} ${name}`);
}
