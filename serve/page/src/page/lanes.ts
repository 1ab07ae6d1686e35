// How the timeline is painted: a lane per context with a row per depth, gaps
// hatched across all, events as marks at the top.
import type uPlot from "uplot";
import { isDark } from "../element";
import { colour } from "../flame/colours";
import type { Store } from "./store";
import type { Event, Lane, Timeline } from "./wire";

export const rowHeight = 18;
export const headHeight = 20;
export const eventsHeight = 18;
const between = 6;

// Placed is a lane with the place where it is painted, in CSS pixels.
export interface Placed {
	lane: Lane;
	top: number;
	rows: number;
}

// Layout gives lanes their places. Lanes do not shrink during a run: they
// would jump.
export class Layout {
	placed: Placed[] = [];
	height = 60;
	private rows = new Map<number, number>();
	private run = 0;

	place(t: Timeline): void {
		if (t.run !== this.run) this.rows.clear();
		this.run = t.run;
		let top = eventsHeight;
		this.placed = (t.tracks ?? []).map((lane) => {
			let deepest = 0;
			for (const d of lane.depth ?? []) deepest = Math.max(deepest, d + 1);
			const rows = Math.max(1, deepest, this.rows.get(lane.track) ?? 0);
			this.rows.set(lane.track, rows);
			const placed = { lane, top, rows };
			top += headHeight + rows * rowHeight + between;
			return placed;
		});
		this.height = top;
	}
}

export interface Hit {
	lane: Lane;
	span: number;
}

// hit is what lies at a place of the plot, in seconds and CSS pixels.
export function hit(layout: Layout, time: number, y: number, slack: number): Hit | null {
	for (const { lane, top, rows } of layout.placed) {
		const depth = Math.floor((y - top - headHeight) / rowHeight);
		if (depth < 0 || depth >= rows) continue;
		let best = -1;
		for (let i = 0; i < (lane.start?.length ?? 0); i++) {
			if (lane.depth![i] !== depth) continue;
			const from = lane.start![i]!;
			if (time >= from - slack && time <= from + lane.length![i]! + slack) best = i;
		}
		if (best >= 0) return { lane, span: best };
	}
	return null;
}

interface Ink {
	ink: string;
	soft: string;
	line: string;
	paper: string;
	bad: string;
	faint: string;
}

// latest is the end of what is known in the window.
function latest(t: Timeline): number {
	let end = t.from;
	for (const { start, length } of t.tracks ?? []) start?.forEach((s, i) => (end = Math.max(end, s + length![i]!)));
	return end;
}

function inks(): Ink {
	const style = getComputedStyle(document.documentElement);
	const of = (name: string) => style.getPropertyValue(name).trim();
	return { ink: of("--ink"), soft: of("--soft"), line: of("--line"), paper: of("--paper"), bad: of("--bad"), faint: of("--faint") };
}

// paint draws a timeline into the plot. While a run goes on, of what it did until now something may
// be on its way: a call is known when it has returned.
export function paint(u: uPlot, layout: Layout, t: Timeline, store: Store, chosen: Hit | null, now: number): void {
	const { ctx } = u;
	const scale = devicePixelRatio;
	const ink = inks();
	const left = u.bbox.left / scale;
	const width = u.bbox.width / scale;
	const x = (time: number) => left + u.valToPos(time, "x");
	const top = u.bbox.top / scale;
	ctx.save();
	ctx.scale(scale, scale);
	ctx.beginPath();
	ctx.rect(left, top, width, u.bbox.height / scale);
	ctx.clip();
	ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
	ctx.textBaseline = "middle";
	ctx.textAlign = "left";
	const colours = new Map<number, string>();
	const of = (f: number): string => {
		let c = colours.get(f);
		if (!c) colours.set(f, (c = colour(store.functions[f]?.name ?? "", Math.max(0, store.functions[f]?.category ?? 3))));
		return c;
	};
	for (const p of layout.placed) lane(p);
	if (now > 0) onItsWay(latest(t));
	for (const gap of t.gaps ?? []) hatch(gap);
	for (const e of store.events) mark(e);
	ctx.restore();

	function lane({ lane: l, top: laneTop }: Placed): void {
		const y0 = top + laneTop;
		ctx.fillStyle = ink.line;
		ctx.fillRect(left, y0 - between / 2, width, 1);
		for (let i = 0; i < (l.start?.length ?? 0); i++) {
			const from = x(l.start![i]!);
			const to = x(l.start![i]! + l.length![i]!);
			if (to < left || from > left + width) continue;
			const a = Math.max(from, left - 2);
			const w = Math.max(Math.min(to, left + width + 2) - a, 1);
			const y = y0 + headHeight + l.depth![i]! * rowHeight;
			ctx.fillStyle = of(l.function![i]!);
			ctx.fillRect(a, y, w > 3 ? w - 0.75 : w, rowHeight - 1);
			if (w > 28) write(store.functions[l.function![i]!]?.name ?? "", Math.max(a, left) + 4, y + rowHeight / 2, w - (Math.max(a, left) - a) - 8, ink.ink);
			if (chosen && chosen.lane.track === l.track && chosen.lane.start![chosen.span] === l.start![i] && chosen.lane.depth![chosen.span] === l.depth![i]) {
				ctx.strokeStyle = ink.ink;
				ctx.lineWidth = 1.5;
				ctx.strokeRect(a + 0.5, y + 0.5, Math.max(1, w - 2), rowHeight - 2);
			}
		}
		ctx.font = ctx.font.replace(/^/, "600 ");
		write(l.name, left + 4, y0 + headHeight / 2, width - 8, ink.soft);
		ctx.font = ctx.font.replace(/^600 /, "");
	}

	function write(text: string, at: number, y: number, room: number, fill: string): void {
		ctx.fillStyle = fill;
		let shown = text;
		if (ctx.measureText(shown).width > room) {
			const fit = Math.floor((room / ctx.measureText(shown).width) * shown.length) - 1;
			if (fit < 2) return;
			shown = shown.slice(0, fit) + "…";
		}
		ctx.fillText(shown, at, y);
	}

	function onItsWay(from: number): void {
		const [a, b] = [Math.max(left, x(from)), Math.min(left + width, x(now))];
		if (b - a < 3) return;
		ctx.fillStyle = ink.faint;
		ctx.fillRect(a, top + eventsHeight, b - a, layout.height - eventsHeight);
		if (b - a > 90) write("on its way", a + 6, top + 8, b - a - 12, ink.soft);
	}

	function hatch(gap: Event): void {
		const from = x(gap.time);
		const w = Math.max(2, x(gap.time + gap.duration) - from);
		if (from + w < left || from > left + width) return;
		const h = layout.height - eventsHeight;
		const y0 = top + eventsHeight;
		ctx.save();
		ctx.beginPath();
		ctx.rect(Math.max(from, left), y0, Math.min(w, left + width - from), h);
		ctx.clip();
		ctx.globalAlpha = isDark() ? 0.82 : 0.86;
		ctx.fillStyle = ink.paper;
		ctx.fillRect(from, y0, w, h);
		ctx.globalAlpha = 0.55;
		ctx.strokeStyle = ink.soft;
		ctx.lineWidth = 1;
		ctx.beginPath();
		const begin = Math.max(from, left) - h - ((Math.max(from, left) - from) % 8);
		for (let at = begin; at < Math.min(from + w, left + width); at += 8) {
			ctx.moveTo(at, y0 + h);
			ctx.lineTo(at + h, y0);
		}
		ctx.stroke();
		ctx.restore();
	}

	function mark(e: Event): void {
		const at = x(e.time);
		if (at < left || at > left + width) return;
		ctx.fillStyle = e.off ? ink.soft : ink.bad;
		ctx.globalAlpha = 0.6;
		if (!e.off) ctx.fillRect(at - 0.5, top, 1, layout.height);
		ctx.globalAlpha = 1;
		ctx.beginPath();
		ctx.moveTo(at - 5, top + 3);
		ctx.lineTo(at + 5, top + 3);
		ctx.lineTo(at, top + 11);
		ctx.fill();
	}
}
