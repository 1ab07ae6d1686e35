// The keys.
import { element } from "../element";

const keys: [string, [string, string][]][] = [
	["Everywhere", [["1 2 3 4", "flame graph, timeline, statistics, lines"], ["/", "search or filter"], ["t", "theme"], ["?", "this list"]]],
	["Flame graph", [["← → ↑ ↓", "frames beside, callers, callees"], ["Enter", "zoom to the frame"], ["Escape", "show all"], ["i", "invert"], ["d", "with or without idle time"]]],
	["Timeline", [["← →", "move"], ["+ −", "zoom"], ["f", "follow what comes"], ["Home", "the whole run"], ["wheel drag", "zoom, move; Shift and drag: zoom to a part"], ["double click", "zoom to a call"]]],
];

export function helpDialog(): HTMLDialogElement {
	const dialog = element("dialog", { class: "help", "aria-labelledby": "help-title" });
	dialog.append(
		element("header", {}, element("h2", { id: "help-title" }, "Keys"), element("button", { type: "button", class: "icon", "aria-label": "Close", click: () => dialog.close() }, "✕")),
		...keys.map(([title, list]) => element("section", {}, element("h3", {}, title), element("dl", {}, ...list.flatMap(([key, what]) => [element("dt", {}, ...key.split(" ").flatMap((k, i, all) => (all.length > 1 && key.length < 12 ? [element("kbd", {}, k), " "] : i === 0 ? [element("kbd", {}, key)] : []))), element("dd", {}, what)])))),
	);
	dialog.addEventListener("click", (e) => e.target === dialog && dialog.close());
	return dialog;
}
