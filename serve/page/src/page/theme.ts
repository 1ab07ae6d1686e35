// Light, dark, or what the system says.
import { element } from "../element";

const order = ["", "light", "dark"] as const;
const names = { "": "Theme: system", light: "Theme: light", dark: "Theme: dark" };
const signs = { "": "◐", light: "☀", dark: "☾" };

// themeButton goes through the themes; changed is called when colours are others.
export function themeButton(changed: () => void): HTMLButtonElement {
	const root = document.documentElement;
	const button = element("button", { type: "button", class: "icon", click: () => set(order[(order.indexOf(at) + 1) % order.length]!) });
	let at: (typeof order)[number] = "";
	const set = (to: typeof at) => {
		at = to;
		if (to) root.dataset["theme"] = to;
		else delete root.dataset["theme"];
		button.textContent = signs[to];
		button.title = names[to] + " (t)";
		button.setAttribute("aria-label", names[to]);
		try {
			localStorage.setItem("theme", to);
		} catch {
			// Storage may be forbidden: the theme lasts as long as the page.
		}
		changed();
	};
	let stored = "";
	try {
		stored = localStorage.getItem("theme") ?? "";
	} catch {
		// As above.
	}
	set(order.find((t) => t === stored) ?? "");
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
	return button;
}
