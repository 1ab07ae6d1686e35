// The page: the bar, the status, and the views with what keeps them current.
import { element, say } from "../element";
import { type App, unstarted, type View } from "./app";
import { Bar } from "./bar";
import { FlameView } from "./flameview";
import { helpDialog } from "./help";
import { LinesView } from "./linesview";
import { Notices } from "./notice";
import { Pace } from "./pace";
import { Socket } from "./socket";
import { StatusStrip } from "./status";
import { Store } from "./store";
import { TableView } from "./tableview";
import { Tabs } from "./tabs";
import { themeButton } from "./theme";
import { TimelineView } from "./timelineview";
import type { State } from "./wire";

const store = new Store();
const notices = new Notices();
const app: App = {
	socket: undefined as unknown as Socket, // below
	store,
	state: unstarted,
	async act(what, using) {
		notices.fail(null);
		try {
			await app.socket.ask(what, using);
			return true;
		} catch (error) {
			notices.fail(error);
			return false;
		}
	},
	fail: (error) => notices.fail(error),
	open: (view, search) => {
		tabs.show(view);
		if (search !== undefined) tabs.at.search?.(search);
	},
};

const bar = new Bar(app);
const status = new StatusStrip();
const timeline = new TimelineView(app);
const views: View[] = [new FlameView(app), timeline, new TableView(app), new LinesView(app)];
const welcome = element("p", { class: "welcome" });
const pace = new Pace(draw);
const tabs = new Tabs(views, () => pace.soon());
const help = helpDialog();
const theme = themeButton(() => {
	status.again(store);
	timeline.again();
	pace.soon();
});

document.body.append(
	element("header", { class: "top" },
		element("h1", {}, element("span", { class: "logo", "aria-hidden": "true" }, element("i"), element("i"), element("i")), "mprof"),
		bar.phase, element("span", { class: "space" }), theme,
		element("button", { type: "button", class: "icon", title: "Keys (?)", "aria-label": "Keys", click: () => help.showModal() }, "?")),
	element("main", {}, bar.root, notices.root, status.root, welcome, tabs.root),
	help,
);

function draw(): void {
	const something = store.status !== null && (app.state.collected || app.state.phase === "running" || store.rows.size > 0);
	welcome.hidden = something || (app.state.phase !== "idle" && app.state.phase !== "ready");
	say(welcome, app.state.phase === "ready" ? "Connected: the target runs on undisturbed until Start." : "Choose a probe to sample call stacks, or a serial port with instrumented firmware to see every call. sim is a simulated board: it needs no hardware.");
	tabs.root.hidden = status.root.hidden = !something;
	notices.remark(something ? (store.status?.remarks ?? []) : []);
	if (!something) return;
	status.draw(store);
	tabs.at.draw();
}

function show(state: State): void {
	app.state = state;
	bar.show(state);
	notices.command = state.watched;
	const kept = state.phase === "lost" && state.collected && !state.waiting ? ["What was collected until then is here, and can be saved."] : [];
	notices.fail(state.error ? { text: state.error.text, hints: [...(state.error.hints ?? []), ...kept] } : null);
	document.title = state.phase === "running" ? "● mprof" : "mprof";
	pace.soon();
}

app.socket = new Socket({
	state: show,
	update(u) {
		store.apply(u);
		pace.soon();
	},
	connected(on, reason) {
		document.body.classList.toggle("cut-off", !on);
		notices.connected(on, reason);
	},
	has: () => ({ run: store.run, rev: store.rev }),
});

document.addEventListener("keydown", (e) => {
	if (e.ctrlKey || e.altKey || e.metaKey || e.defaultPrevented || document.querySelector("dialog[open]")) return;
	const field = (e.target as Element).closest?.("input, select, textarea");
	if (field && e.key !== "Escape") return;
	if (e.key === "?") help.showModal();
	else if (e.key === "t") theme.click();
	else if (/^[1-4]$/.test(e.key)) tabs.show(views[Number(e.key) - 1]!.id);
	else if (tabs.root.hidden || !tabs.at.key(e)) return;
	e.preventDefault();
});
