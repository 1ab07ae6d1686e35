// What the page knows of the run. Updates carry what changed; a new run
// begins with nothing.
import { Category, type Frame } from "../flame/frames";
import { History } from "./history";
import { contextOf, type Func, type Node, Tree } from "./tree";
import type { Event, Kind, Row, Status, Update } from "./wire";

interface Counts {
	count: number[];
	time: number[];
}

// Choice is a part of what was collected.
export interface Choice {
	track: number; // -1: all
	context: string; // of samples, as mprof report names it; "": all
	apart: boolean; // each context on its own
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

	nodes: Node[] = [];
	contexts: string[] = []; // of samples: those that were met

	private called = new Tree(this, false);
	private apart: Tree | null = null; // where somebody asked for it
	private shown = this.called;
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
			if (this.kind === "samples" && count![i]! > 0) this.meet(t, node![i]!);
		});
		for (const row of u.table ?? []) this.rows.set(row.function, row);
		this.events.push(...(u.events ?? []));
		this.status = u.status;
		this.history.add(u.status);
	}

	private forget(): void {
		this.functions = [];
		this.nodes = [];
		this.contexts = [];
		this.called = this.shown = new Tree(this, false);
		this.apart = null;
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
			this.nodes[number] ??= { parent, function: n.function![i]!, category: n.category![i]!, inlined: n.inlined![i] === 1 };
			this.called.place(0, number);
		});
	}

	private meet(track: number, node: number): void {
		const { name } = contextOf(this, track, node);
		if (!this.contexts.includes(name)) this.contexts.push(name);
	}

	// tree is the flame graph of what was chosen; in samples, or in ns. Without idle,
	// what ended in idle frames is left out.
	tree(choice: Choice, idle: boolean): Frame {
		const tree = (this.shown = choice.apart ? (this.apart ??= new Tree(this, true)) : this.called);
		const samples = this.kind === "samples";
		for (const f of tree.frames) f.self = f.asleep = 0;
		this.each(choice, (track, i, c) => {
			const f = tree.place(track, i);
			const self = (samples ? c.count[i] : (c.time[i] ?? 0) * 1e9) ?? 0;
			const { category } = this.nodes[i]!;
			if (category !== Category.Idle) f.category = category;
			else if (idle) f.asleep += self;
			else return;
			f.self += self;
		});
		tree.all.total = 0;
		for (const f of tree.frames) f.total = f.self;
		for (let i = tree.frames.length - 1; i >= 0; i--) tree.frames[i]!.parent!.total += tree.frames[i]!.total;
		for (const f of tree.frames) if (f.asleep > f.total / 2) f.category = Category.Idle;
		this.categories(tree);
		return tree.all;
	}

	// each looks at the nodes of the tracks and contexts that were chosen.
	private each(choice: Choice, visit: (track: number, node: number, c: Counts) => void): void {
		this.counts.forEach((c, track) => {
			if (choice.track >= 0 && choice.track !== track) return;
			this.nodes.forEach((_, i) => {
				if (!choice.context || contextOf(this, track, i).name === choice.context) visit(track, i, c);
			});
		});
	}

	// categories of functions are those of their frames with the most in themselves.
	private categories(tree: Tree): void {
		const most: number[] = [];
		for (const f of tree.frames) {
			if (f.function < 0 || f.self < (most[f.function] ?? 0)) continue;
			most[f.function] = f.self;
			this.functions[f.function]!.category = f.category;
		}
	}

	// calls that returned into a frame of the tree, of what is shown.
	calls(f: Frame, choice: Choice): number {
		let sum = 0;
		this.each(choice, (track, i, c) => {
			if (this.shown.place(track, i) === f) sum += c.count[i] ?? 0;
		});
		return sum;
	}
}
