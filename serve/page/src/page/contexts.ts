// The choice of a context: the core, of a trace its tasks and interrupts.
import { element } from "../element";
import { percent } from "../format";
import type { Store } from "./store";

export interface ContextChoice {
	readonly root: HTMLElement;
	readonly track: number; // -1: all
	readonly name: string;
	draw(): void;
}

export function contextChoice(store: Store, changed: () => void): ContextChoice {
	const select = element("select", { "aria-label": "Context", title: "Task, interrupt or core", change: changed });
	const root = element("span", { class: "context" }, select);
	let shown = "";
	return {
		root,
		get track() {
			return select.value === "" ? -1 : Number(select.value);
		},
		get name() {
			return select.value === "" ? "all" : (store.tracks[Number(select.value)] ?? "");
		},
		draw() {
			root.hidden = store.tracks.length < 2;
			const shares = new Map(store.status?.contexts?.map((c) => [c.track, c.value]));
			const labels = store.tracks.map((name, i) => (shares.has(i) ? `${name} ${percent(shares.get(i)!)}` : name));
			const key = labels.join("\n");
			if (key === shown || document.activeElement === select) return;
			const at = select.value;
			select.replaceChildren(element("option", { value: "" }, "All contexts"), ...labels.map((label, i) => element("option", { value: i }, label)));
			select.value = at && Number(at) < labels.length ? at : "";
			shown = key;
		},
	};
}
