// The tree of a flame graph: paths of functions with what was counted in them.

// Category is profile.Category of the Go side.
export const enum Category {
	Thread = 0,
	Interrupt = 1,
	Idle = 2,
	Unknown = 3,
}

// Frame is a function on one path. Self and total are samples, or nanoseconds.
export interface Frame {
	id: string; // stays the same while the numbers change
	name: string;
	function: number; // an index for the caller's own use; -1: none
	category: number;
	inlined: boolean;
	self: number;
	asleep: number; // of self, what found the core in WFI or WFE
	total: number;
	parent: Frame | null;
	children: Frame[];
}

// frame makes one without numbers and hangs it below its parent.
export function frame(id: string, name: string, category: number, parent: Frame | null): Frame {
	const f: Frame = { id, name, function: -1, category, inlined: false, self: 0, asleep: 0, total: 0, parent, children: [] };
	parent?.children.push(f);
	return f;
}

// Data is the tree as a file carries it.
export interface Data {
	n: string;
	s: number;
	k?: number;
	i?: boolean;
	c?: Data[];
}

// fromData hangs the roots of a file below one frame of all.
export function fromData(roots: Data[]): Frame {
	const all = frame("all", "all", Category.Unknown, null);
	const pending = roots.map((data) => ({ data, parent: all }));
	for (let next = 0; next < pending.length; next++) {
		const { data, parent } = pending[next]!;
		const f = frame(String(next), data.n, data.k ?? Category.Thread, parent);
		f.self = data.s;
		f.inlined = data.i ?? false;
		for (const child of data.c ?? []) pending.push({ data: child, parent: f });
	}
	sum(all);
	return all;
}

// walk visits parents before their children.
export function walk(root: Frame, visit: (f: Frame) => void): void {
	const pending = [root];
	for (let f = pending.pop(); f; f = pending.pop()) {
		visit(f);
		pending.push(...f.children);
	}
}

// sum makes totals of selves.
export function sum(root: Frame): void {
	const order: Frame[] = [];
	walk(root, (f) => order.push(f));
	for (const f of order) f.total = f.self;
	for (const f of order.reverse()) if (f.parent) f.parent.total += f.total;
}

// invert makes the tree of callers: the roots are the functions where the
// counting ended, their children who called them.
export function invert(root: Frame): Frame {
	const all = frame(root.id, root.name, root.category, null);
	const known = new Map<string, Frame>();
	const below = (parent: Frame, from: Frame): Frame => {
		const id = `${parent === all ? "" : parent.id}<${from.name}`;
		let f = known.get(id);
		if (!f) {
			f = frame(id, from.name, from.category, parent);
			f.function = from.function;
			f.inlined = from.inlined;
			known.set(id, f);
		}
		if (f.category !== from.category) f.category = Category.Thread; // runs in several
		f.inlined &&= from.inlined;
		return f;
	};
	walk(root, (leaf) => {
		if (leaf.self === 0) return;
		let at = all;
		for (let f: Frame | null = leaf; f && f !== root; f = f.parent) {
			at = below(at, f);
			at.total += leaf.self;
		}
		at.self += leaf.self;
		all.total += leaf.self;
	});
	return all;
}

// Match tells whether a name is searched for.
export type Match = (name: string) => boolean;

// matcher reads what was typed: a regular expression, else plain text; capital
// letters count only where one was typed. null: nothing is searched for.
export function matcher(typed: string): Match | null {
	if (typed === "") return null;
	const flags = typed === typed.toLowerCase() ? "i" : "";
	try {
		const expression = new RegExp(typed, flags);
		return (name) => expression.test(name);
	} catch {
		const plain = flags ? typed.toLowerCase() : typed;
		return (name) => (flags ? name.toLowerCase() : name).includes(plain);
	}
}

// matched is what lies in frames that match, each part once.
export function matched(root: Frame, match: Match): { total: number; frames: number } {
	let total = 0;
	let frames = 0;
	const pending: { f: Frame; inside: boolean }[] = [{ f: root, inside: false }];
	for (let next = pending.pop(); next; next = pending.pop()) {
		const { f, inside } = next;
		const hit = f !== root && match(f.name);
		if (hit) frames++;
		if (hit && !inside) total += f.total;
		for (const child of f.children) pending.push({ f: child, inside: inside || hit });
	}
	return { total, frames };
}

// path lists the names from the outermost frame to this one.
export function path(f: Frame): string[] {
	const names: string[] = [];
	for (let at: Frame | null = f; at; at = at.parent) names.unshift(at.name);
	return names;
}
