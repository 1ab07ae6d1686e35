// The strip of facts about the run, some with a small plot over its time.
import uPlot from "uplot";
import { element, isDark, say } from "../element";
import { bytes, clock, count, duration, percent, perSecond, plusMinus, significant } from "../format";
import type { Store } from "./store";
import type { Status } from "./wire";

interface Fact {
	id: string;
	label: string;
	title: string;
	value(s: Status): string;
	detail?(s: Status): string;
	plot?: "rate" | "stolen" | "buffer";
	bad?(s: Status): boolean;
}

const elapsed: Fact = { id: "elapsed", label: "Elapsed", title: "Of the target's time", value: (s) => (s.elapsed < 60 ? duration(s.elapsed, 3) : clock(s.elapsed)) };

const ofSamples: Fact[] = [
	elapsed,
	{ id: "taken", label: "Samples", title: "Taken, of those that were asked for", value: (s) => count(s.taken), detail: (s) => (s.asked > s.taken ? `of ${count(s.asked)}` : "") },
	{ id: "rate", label: "Rate", title: "Samples per second, over the last second", value: (s) => perSecond(s.rate), plot: "rate" },
	{ id: "stolen", label: "Stolen", title: "Share of the run that the core stood still for the samples; the plot: since the point before", value: (s) => percent(s.stolenShare), plot: "stolen" },
	{ id: "halted", label: "Halted", title: "How long the core stood still for one sample: median, and 99th percentile", value: (s) => (s.haltedP50 > 0 ? duration(s.haltedP50, 3) : "never"), detail: (s) => (s.haltedP99 > 0 ? `p99 ${duration(s.haltedP99, 3)}` : "") },
	{ id: "cut", label: "Cut stacks", title: "Stacks that are not complete", value: (s) => count(s.cut), detail: (s) => (s.taken > 0 ? percent(s.cut / s.taken) : "") },
	{ id: "idle", label: "Asleep", title: "Share of the samples that found the core in WFI or WFE, with its standard error", value: (s) => (s.taken > 0 ? percent(s.idleShare) : "not known"), detail: (s) => (s.taken > 0 ? plusMinus(s.idleError) : "") },
	{ id: "resets", label: "Resets", title: "Of the target, during the run", value: (s) => count(s.resets), bad: (s) => s.resets > 0 },
];

const ofCalls: Fact[] = [
	elapsed,
	{ id: "calls", label: "Calls", title: "That returned", value: (s) => count(s.calls) },
	{ id: "rate", label: "Rate", title: "Calls per second, over the last second", value: (s) => perSecond(s.rate), plot: "rate" },
	{ id: "lost", label: "Lost", title: "Records that are missing for certain", value: (s) => count(s.lost), bad: (s) => s.lost > 0 },
	{ id: "buffer", label: "Buffer", title: "Of the target: the most that was in use so far", value: (s) => (s.buffer > 0 ? percent(s.bufferUsed / s.buffer) : "not known"), detail: (s) => (s.buffer > 0 ? `${count(s.bufferUsed)} of ${count(s.buffer)} B` : ""), plot: "buffer" },
	{ id: "bytes", label: "Received", title: "Bytes from the target", value: (s) => bytes(s.bytes), detail: (s) => (s.elapsed > 0 ? `${significant(s.bytes / s.elapsed / 1024, 3)} KiB/s` : "") },
	{ id: "resets", label: "Resets", title: "Of the target, during the run", value: (s) => count(s.resets), bad: (s) => s.resets > 0 },
];

export class StatusStrip {
	readonly root = element("section", { class: "status", "aria-label": "Status of the run" });
	private kind = "";
	private tiles: { fact: Fact; root: HTMLElement; value: HTMLElement; detail: HTMLElement; plot: uPlot | null }[] = [];

	draw(store: Store): void {
		const s = store.status;
		this.root.hidden = !s;
		if (!s) return;
		if (this.kind !== store.kind) this.make(store.kind);
		for (const t of this.tiles) {
			say(t.value, t.fact.value(s));
			say(t.detail, t.fact.detail?.(s) ?? "");
			t.root.classList.toggle("bad", t.fact.bad?.(s) ?? false);
			t.plot?.setData([store.history.time, store.history[t.fact.plot!]]);
		}
	}

	// again draws with the colours of another theme.
	again(store: Store): void {
		this.kind = "";
		this.draw(store);
	}

	private make(kind: string): void {
		this.kind = kind;
		for (const t of this.tiles) t.plot?.destroy();
		this.tiles = (kind === "calls" ? ofCalls : ofSamples).map((fact) => {
			const value = element("dd", { id: "status-" + fact.id });
			const detail = element("dd", { class: "detail" });
			const root = element("dl", { class: "tile", title: fact.title }, element("dt", {}, fact.label), value, detail);
			const plot = fact.plot ? spark(root) : null;
			return { fact, root, value, detail, plot };
		});
		this.root.replaceChildren(...this.tiles.map((t) => t.root));
	}
}

function spark(at: HTMLElement): uPlot {
	const box = element("dd", { class: "spark", "aria-hidden": "true" });
	at.classList.add("with-spark");
	at.append(box);
	const line = isDark() ? "#7fb0ff" : "#1f5fbf";
	return new uPlot({
		width: 108, height: 34, padding: [3, 0, 1, 0],
		legend: { show: false },
		cursor: { show: false },
		select: { show: false, left: 0, top: 0, width: 0, height: 0 },
		axes: [{ show: false }, { show: false }],
		scales: { x: { time: false }, y: { range: (_u, _min, max) => [0, Math.max(max, 1e-9) * 1.1] } },
		series: [{}, { stroke: line, width: 1.25, fill: line + "22", points: { show: false } }],
	}, [[], []], box);
}
