// Trees of what was met: paths as they were called, or what ran in each task
// and interrupt on its own, as the contexts of mprof report.
import { Category, type Frame, frame } from "../flame/frames";
import type { Kind } from "./wire";

export interface Func {
	name: string;
	file: string;
	line: number;
	label: boolean;
	category: number; // of its frame with the most in itself; -1: none yet
}

// Node is one of mprof's: a function below a caller, asleep or awake.
export interface Node {
	parent: number; // -1: none
	function: number;
	category: number;
	inlined: boolean;
}

// Known is what trees are made of.
export interface Known {
	readonly kind: Kind;
	readonly nodes: Node[];
	readonly functions: Func[];
	readonly tracks: string[];
}

// Context is where a node ran, and the part of its path that is in it.
interface Context {
	name: string;
	category: Category;
	function: number; // -1: it has none
	path: number[]; // nodes, the outermost first
}

// exception of a label such as <exception: SysTick>; "": it is none.
function exception(f: Func): string {
	return (f.label && /^<exception: (.*)>$/.exec(f.name)?.[1]) || "";
}

// contextOf a node: sleep is on its own; an interrupt begins at its label, and has
// nothing of what it interrupted.
export function contextOf(known: Known, track: number, number: number): Context {
	const path: number[] = [];
	const at = known.nodes[number]!;
	for (let n = number; n >= 0; n = known.nodes[n]!.parent) {
		const of = known.nodes[n]!.function;
		const name = exception(known.functions[of]!);
		if (name && at.category !== Category.Idle && known.kind === "samples") return { name, category: Category.Interrupt, function: of, path };
		if (!name) path.unshift(n);
	}
	if (known.kind === "calls") return { name: known.tracks[track] ?? "", category: at.category, function: -1, path };
	if (at.category === Category.Idle) return { name: "asleep", category: Category.Idle, function: -1, path };
	if (at.category === Category.Interrupt) return { name: "handler mode", category: Category.Interrupt, function: -1, path };
	return { name: "thread mode", category: Category.Thread, function: -1, path };
}

// Tree has a frame for each node; those of one function below one caller that differ in their
// category alone are one.
export class Tree {
	readonly all = frame("all", "all", Category.Unknown, null);
	readonly frames: Frame[] = []; // callers first
	private readonly placed: Frame[][] = []; // by track and node

	constructor(private readonly known: Known, private readonly apart: boolean) {}

	// place is the frame that a node of a track is counted in.
	place(track: number, number: number): Frame {
		const of = (this.placed[this.apart ? track : 0] ??= []);
		return (of[number] ??= this.apart ? this.inContext(track, number) : this.asCalled(number));
	}

	private asCalled(number: number): Frame {
		const { parent } = this.known.nodes[number]!;
		return this.below(parent < 0 ? this.all : this.place(0, parent), number);
	}

	private inContext(track: number, number: number): Frame {
		const c = contextOf(this.known, track, number);
		let at = this.all.children.find((f) => f.name === c.name) ?? this.add(c.name, c.name, c.function, c.category, this.all);
		for (const n of c.path) at = this.below(at, n);
		return at;
	}

	private below(caller: Frame, number: number): Frame {
		const { function: of, category, inlined } = this.known.nodes[number]!;
		const f = caller.children.find((c) => c.function === of) ?? this.add(this.apart ? String(of) : String(number), this.known.functions[of]!.name, of, category, caller);
		f.inlined ||= inlined;
		return f;
	}

	private add(id: string, name: string, of: number, category: number, caller: Frame): Frame {
		const f = frame(this.apart ? `${caller.id}/${id}` : id, name, category, caller);
		f.function = of;
		this.frames.push(f);
		return f;
	}
}
