// The views, one at a time; the address says which.
import { element } from "../element";
import type { View } from "./app";

export class Tabs {
	readonly root: HTMLElement;
	at: View;
	private readonly tabs = new Map<View, HTMLButtonElement>();

	constructor(private readonly views: View[], private readonly changed: () => void) {
		this.at = views[0]!;
		const list = element("div", { class: "tabs", role: "tablist", "aria-label": "Views", keydown: (e: KeyboardEvent) => this.key(e) });
		views.forEach((v, i) => {
			const tab = element("button", { type: "button", role: "tab", id: "tab-" + v.id, "aria-controls": "view-" + v.id, title: `${v.title} (${i + 1})`, click: () => this.show(v.id) }, v.title);
			v.root.id = "view-" + v.id;
			v.root.setAttribute("role", "tabpanel");
			v.root.setAttribute("aria-labelledby", tab.id);
			this.tabs.set(v, tab);
			list.append(tab);
		});
		this.root = element("section", { class: "views" }, list, ...views.map((v) => v.root));
		addEventListener("hashchange", () => this.follow());
		this.show(location.hash.slice(1));
	}

	// show brings a view to the front; the first where there is none of that name.
	show(id: string): void {
		this.at = this.views.find((v) => v.id === id) ?? this.at;
		for (const [v, tab] of this.tabs) {
			const on = v === this.at;
			v.root.hidden = !on;
			tab.setAttribute("aria-selected", String(on));
			tab.tabIndex = on ? 0 : -1;
		}
		history.replaceState(null, "", "#" + this.at.id);
		this.changed();
	}

	private follow(): void {
		this.show(location.hash.slice(1));
	}

	private key(e: KeyboardEvent): void {
		const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
		if (!by) return;
		const next = this.views[(this.views.indexOf(this.at) + by + this.views.length) % this.views.length]!;
		this.show(next.id);
		this.tabs.get(next)!.focus();
		e.preventDefault();
		e.stopPropagation();
	}
}
