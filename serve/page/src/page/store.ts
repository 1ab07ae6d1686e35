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
	category: number; // of its nodes; those of several are thread mode; -1: none yet
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

	private nodes: Frame[] = [];
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
			const of = this.functions[n.function![i]!]!;
			const category = n.category![i]!;
			const f = frame(String(number), of.name, category, this.nodes[parent] ?? this.all);
			f.function = n.function![i]!;
			f.inlined = n.inlined![i] === 1;
			of.category = of.category < 0 || of.category === category ? category : 0;
			this.nodes[number] = f;
		});
	}

	// tree is the flame graph of one track, -1: of all; in samples, or in ns. Without
	// idle, what ended in idle frames is left out.
	tree(track: number, idle: boolean): Frame {
		const chosen = track < 0 ? this.counts : this.counts[track] ? [this.counts[track]] : [];
		const samples = this.kind === "samples";
		this.nodes.forEach((f, i) => {
			f.self = 0;
			if (!idle && f.category === 2) return;
			for (const c of chosen) if (c) f.self += (samples ? c.count[i] : (c.time[i] ?? 0) * 1e9) ?? 0;
		});
		for (const f of this.nodes) f.total = f.self;
		this.all.total = 0;
		for (let i = this.nodes.length - 1; i >= 0; i--) this.nodes[i]!.parent!.total += this.nodes[i]!.total;
		return this.all;
	}

	// calls that returned into a node, of the tracks that are shown.
	calls(f: Frame, track: number): number {
		const chosen = track < 0 ? this.counts : [this.counts[track]];
		return chosen.reduce((sum, c) => sum + (c?.count[Number(f.id)] ?? 0), 0);
	}
}
