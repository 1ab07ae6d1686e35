// The choice of a context: tasks and interrupts, sleep; each, all, or all of them
// beside each other.
import { element } from "../element";
import { percent } from "../format";
import type { Choice, Store } from "./store";

export interface ContextChoice {
	readonly root: HTMLElement;
	readonly choice: Choice;
	readonly track: number; // -1: all
	readonly name: string;
	draw(): void;
}

// contextChoice offers the tracks; where apart is given and says so, contexts apart, too, and those of
// samples.
export function contextChoice(store: Store, changed: () => void, apart?: () => boolean): ContextChoice {
	const select = element("select", { class: "contexts", "aria-label": "Context", title: "Task, interrupt or core", change: changed });
	const root = element("span", { class: "context" }, select);
	let shown = "";
	const track = () => (/^\d+$/.test(select.value) ? Number(select.value) : -1);
	const context = () => (select.value.startsWith("in ") ? select.value.slice(3) : "");
	const tracks = (): [string, string][] => {
		const shares = new Map(store.status?.contexts?.map((c) => [c.track, c.value]));
		return store.tracks.map((name, i) => [String(i), shares.has(i) ? `${name} ${percent(shares.get(i)!)}` : name]);
	};
	const options = (): [string, string][] => {
		const each: [string, string][] = store.tracks.length > 1 ? tracks() : apart?.() ? store.contexts.map((name) => ["in " + name, name]) : [];
		return [["", "All contexts"], ...(apart && each.length > 0 ? [["apart", "By task or interrupt"] as [string, string]] : []), ...each];
	};
	return {
		root,
		get choice() {
			return { track: track(), context: context(), apart: select.value === "apart" || context() !== "" };
		},
		get track() {
			return track();
		},
		get name() {
			return context() || (track() < 0 ? "all" : (store.tracks[track()] ?? ""));
		},
		draw() {
			const all = options();
			root.hidden = all.length < 3;
			const key = all.map(([, label]) => label).join("\n");
			if (key === shown || (document.activeElement === select && select.value === at(all, select.value))) return;
			const before = select.value;
			select.replaceChildren(...all.map(([value, label]) => element("option", { value }, label)));
			select.value = at(all, before);
			shown = key;
		},
	};
}

// at is the value of an option that is there, else of the first.
function at(all: [string, string][], value: string): string {
	return all.some(([v]) => v === value) ? value : "";
}
