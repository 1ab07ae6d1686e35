// The bar at the top: the form while nothing is connected, else what is, and
// what can be done with it.
import { element, say } from "../element";
import type { App } from "./app";
import { Form } from "./form";
import { saveMenu } from "./save";
import type { Phase, State } from "./wire";

const phases: Record<Phase, string> = {
	idle: "Not connected", connecting: "Connecting", ready: "Ready", running: "Running", stopping: "Stopping", lost: "Ended by an error",
};

export class Bar {
	readonly root: HTMLElement;
	readonly phase = element("span", { class: "phase", role: "status" });
	readonly form: Form;
	private readonly target = element("div", { class: "target" });
	private readonly actions: HTMLElement;
	private readonly duration = element("input", { type: "number", min: 0, step: "any", placeholder: "until stopped", "aria-label": "Duration in seconds, empty: until stopped", title: "Seconds of the target's time; empty: until stopped" });
	private readonly start = this.button("start", "Start", "primary", () => this.app.act("start", { seconds: this.duration.valueAsNumber || 0 }));
	private readonly stop = this.button("stop", "Stop", "primary", () => this.app.act("stop"));
	private readonly reset = this.button("reset", "Reset", "", () => this.app.act("reset"), "Forget what was collected");
	private readonly disconnect = this.button("disconnect", "Disconnect", "", () => this.app.act("disconnect"));
	private readonly save;
	private filled = false;

	constructor(private readonly app: App) {
		this.form = new Form(app);
		this.save = saveMenu(app);
		const duration = element("label", { class: "duration" }, this.duration, element("span", { "aria-hidden": "true" }, "s"));
		this.actions = element("div", { class: "actions" }, duration, this.start, this.stop, this.reset, this.save.root, this.disconnect);
		this.root = element("section", { class: "bar", "aria-label": "Session" }, this.form.root, this.target, this.actions);
	}

	// show brings the bar to a state.
	show(s: State): void {
		const waiting = s.phase === "lost" && s.waiting;
		const connected = waiting || s.phase === "ready" || s.phase === "running" || s.phase === "stopping";
		if (!this.filled || s.phase === "connecting") this.form.fill(s.connect);
		if (!this.filled) this.form.look();
		this.filled = true;
		this.root.dataset["phase"] = this.phase.dataset["phase"] = s.phase;
		say(this.phase, waiting ? "Waiting for the target" : phases[s.phase]);
		this.form.root.hidden = connected || s.watched;
		this.form.busy(s.phase === "connecting");
		this.target.hidden = !connected && !s.collected;
		this.target.replaceChildren(...facts(s).map(([label, value]) => element("span", { title: label }, value)));
		this.start.hidden = !connected || s.watched || s.phase !== "ready";
		this.duration.parentElement!.hidden = this.start.hidden;
		this.stop.hidden = s.phase !== "running" && s.phase !== "stopping" && !waiting;
		this.stop.disabled = s.phase === "stopping";
		this.reset.hidden = s.watched || !(s.phase === "running" || (s.collected && (s.phase === "ready" || s.phase === "lost")));
		this.disconnect.hidden = !connected || s.watched;
		this.save.root.hidden = !s.collected;
		this.save.recording(s.recording);
	}

	private button(id: string, label: string, kind: string, does: () => void, title = ""): HTMLButtonElement {
		return element("button", { type: "button", id, class: kind, title, click: does }, label);
	}
}

function facts(s: State): [string, string][] {
	const all: [string, string][] = [["Target", s.device], ["Through", s.source], ["Program", s.elf.replace(/^.*[\\/]/, "")]];
	return all.filter(([, value]) => value !== "");
}
