// What can be seen of a tree: frames narrower than two pixels are one with
// their narrow neighbours below the same caller.
import { hierarchy, type HierarchyNode } from "d3-hierarchy";
import { frame, type Frame } from "./frames";

// Shown is a frame to draw, as d3-flame-graph reads it: the value includes the
// children's; fade marks the callers of what is zoomed to, as wide as that.
export interface Shown {
	frame: Frame;
	name: string;
	value: number;
	fade: boolean;
	narrow: number; // frames that this one stands for; 0: it is itself
	children: Shown[];
}

export type ShownNode = HierarchyNode<Shown> & { x0: number; x1: number; highlight?: boolean };

const narrowest = 2; // pixels

// visible lays out the tree below the callers of zoom for a width in pixels.
export function visible(zoom: Frame, width: number): ShownNode {
	const least = (zoom.total / Math.max(1, width)) * narrowest;
	const top = shown(zoom);
	const pending = [top];
	for (let at = pending.pop(); at; at = pending.pop()) {
		let narrow = 0;
		let value = 0;
		for (const child of at.frame.children) {
			if (child.total >= least) {
				at.children.push(shown(child));
			} else if (child.total > 0) {
				narrow++;
				value += child.total;
			}
		}
		at.children.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
		pending.push(...at.children);
		if (narrow > 0 && value >= least / narrowest) at.children.push(together(at.frame, narrow, value));
	}
	let root = top;
	for (let caller = zoom.parent; caller; caller = caller.parent) {
		root = { ...shown(caller), value: zoom.total, fade: true, children: [root] };
	}
	const node = hierarchy(root);
	node.each((n) => ((n as { id?: string }).id = n.data.frame.id));
	return node as ShownNode;
}

function shown(f: Frame): Shown {
	return { frame: f, name: f.name, value: f.total, fade: false, narrow: 0, children: [] };
}

function together(parent: Frame, narrow: number, value: number): Shown {
	const f: Frame = { ...frame(parent.id + "…", `${narrow} narrow`, parent.children[0]!.category, null), parent, total: value };
	return { frame: f, name: f.name, value, fade: false, narrow, children: [] };
}
