// What the page knows of the run. Updates carry what changed; a new run
// begins with nothing.
import { type Frame, frame } from "../flame/frames";
import { History } from "./history";
import type { Event, Kind, Row, Status, Update } from "./wire";

export interface Func {
	name: string;
	file: string;
	line: number;
	label: boolean;
	category: number; // of its frame with the most in itself; -1: none yet
}

// Node is one of mprof's: those of one function below one caller that differ in
// their category alone are one frame.
interface Node {
	frame: Frame;
	category: number;
}

interface Counts {
	count: number[];
	time: number[];
}

export class Store {
	run = 0;
	rev = 0;
	kind: Kind = "samples";
	functions: Func[] = [];
	tracks: string[] = [];
	rows = new Map<number, Row>();
	events: Event[] = [];
	status: Status | null = null;
	history = new History();

	private nodes: Node[] = [];
	private frames: Frame[] = []; // callers first
	private all: Frame = frame("all", "all", 3, null);
	private counts: Counts[] = []; // by track, of each node

	apply(u: Update): void {
		if (u.run !== this.run || u.since === 0) this.forget();
		this.run = u.run;
		this.rev = u.rev;
		this.kind = u.kind || this.kind; // a session that has not begun has none
		this.tracks = u.tracks ?? [];
		this.addFunctions(u.functions);
		this.addNodes(u.nodes);
		const { track, node, count, time } = u.counts;
		track?.forEach((t, i) => {
			const c = (this.counts[t] ??= { count: [], time: [] });
			c.count[node![i]!] = count![i]!;
			c.time[node![i]!] = time![i]!;
		});
		for (const row of u.table ?? []) this.rows.set(row.function, row);
		this.events.push(...(u.events ?? []));
		this.status = u.status;
		this.history.add(u.status);
	}

	private forget(): void {
		this.functions = [];
		this.nodes = [];
		this.frames = [];
		this.all = frame("all", "all", 3, null);
		this.counts = [];
		this.rows = new Map();
		this.events = [];
		this.history = new History();
	}

	private addFunctions(f: Update["functions"]): void {
		f.name?.forEach((name, i) => {
			this.functions[f.from + i] = { name, file: f.file![i]!, line: f.line![i]!, label: f.label![i]!, category: -1 };
		});
	}

	private addNodes(n: Update["nodes"]): void {
		n.parent?.forEach((parent, i) => {
			const number = n.from + i;
			if (this.nodes[number]) return;
			const category = n.category![i]!;
			const f = this.frame(number, n.function![i]!, category, this.nodes[parent]?.frame ?? this.all);
			f.inlined ||= n.inlined![i] === 1;
			this.nodes[number] = { frame: f, category };
		});
	}

	private frame(number: number, of: number, category: number, caller: Frame): Frame {
		let f = caller.children.find((c) => c.function === of);
		if (!f) {
			f = frame(String(number), this.functions[of]!.name, category, caller);
			f.function = of;
			this.frames.push(f);
		}
		return f;
	}

	// tree is the flame graph of one track, -1: of all; in samples, or in ns. Without
	// idle, what ended in idle frames is left out.
	tree(track: number, idle: boolean): Frame {
		const chosen = track < 0 ? this.counts : this.counts[track] ? [this.counts[track]] : [];
		const samples = this.kind === "samples";
		for (const f of this.frames) f.self = f.asleep = 0;
		this.nodes.forEach(({ frame: f, category }, i) => {
			let self = 0;
			for (const c of chosen) if (c) self += (samples ? c.count[i] : (c.time[i] ?? 0) * 1e9) ?? 0;
			if (category !== 2) f.category = category;
			else if (idle) f.asleep += self;
			else return;
			f.self += self;
		});
		this.all.total = 0;
		for (const f of this.frames) f.total = f.self;
		for (let i = this.frames.length - 1; i >= 0; i--) this.frames[i]!.parent!.total += this.frames[i]!.total;
		for (const f of this.frames) if (f.asleep > f.total / 2) f.category = 2;
		this.categories();
		return this.all;
	}

	// categories of functions are those of their frames with the most in themselves.
	private categories(): void {
		const most: number[] = [];
		for (const f of this.frames) {
			if (f.self < (most[f.function] ?? 0)) continue;
			most[f.function] = f.self;
			this.functions[f.function]!.category = f.category;
		}
	}

	// calls that returned into a node, of the tracks that are shown.
	calls(f: Frame, track: number): number {
		const chosen = track < 0 ? this.counts : [this.counts[track]];
		let sum = 0;
		this.nodes.forEach((n, i) => {
			if (n.frame === f) for (const c of chosen) sum += c?.count[i] ?? 0;
		});
		return sum;
	}
}
