// The form that says what to connect to.
import { element } from "../element";
import type { App } from "./app";
import type { Choice, Choices, Connect, Kind } from "./wire";

const other = "\u0000other";
const methods = [
	["auto", "call stacks"], ["dwarf", "call stacks, no guesses"], ["fp", "by frame pointers"],
	["pc", "PC and LR, short halts"], ["pcsr", "PC only, never halts"],
] as const;

export class Form {
	readonly root: HTMLFormElement;
	private kind: Kind = "samples";
	private readonly names: Record<Kind, string> = { samples: "", calls: "" }; // chosen or typed
	private choices: Choices = { probes: [], ports: [] };
	private readonly target = element("select", { id: "target", change: () => this.chose() });
	private readonly typed = element("input", { id: "typed", type: "text", spellcheck: "false", autocomplete: "off", "aria-describedby": "typed-explained" });
	private readonly explained = element("p", { id: "typed-explained", class: "typed-field explained" });
	private readonly elf = element("input", { id: "elf", type: "text", spellcheck: "false", autocomplete: "off", placeholder: "firmware with debug information" });
	private readonly rate = element("input", { id: "rate", type: "number", min: 1, max: 1000000, step: "any", placeholder: "100" });
	private readonly method = element("select", { id: "method" }, ...methods.map(([value, what]) => element("option", { value }, `${value}: ${what}`)));
	private readonly baud = element("input", { id: "baud", type: "number", min: 1, placeholder: "921600" });
	private readonly force = element("input", { id: "force", type: "checkbox" });
	private readonly kinds = new Map<Kind, HTMLInputElement>();
	private readonly button = element("button", { type: "submit", class: "primary", id: "connect" }, "Connect");

	constructor(private readonly app: App) {
		const kind = (value: Kind, label: string, title: string) => {
			const input = element("input", { type: "radio", name: "kind", value, change: () => this.setKind(value) });
			this.kinds.set(value, input);
			return element("label", { title }, input, element("span", {}, label));
		};
		this.root = element("form", { class: "form", "aria-label": "Connection", submit: (e: SubmitEvent) => (e.preventDefault(), this.connect()) },
			element("fieldset", { class: "segments" }, element("legend", { class: "hidden" }, "What to collect"),
				kind("samples", "Samples", "Call stacks, through a debug probe"), kind("calls", "Calls", "Every call, from instrumented firmware on a serial port")),
			element("div", { class: "field wide" }, element("label", { for: "target", id: "target-label" }, "Probe"),
				element("span", { class: "joined" }, this.target, element("button", { type: "button", class: "icon", title: "Look again", "aria-label": "Look for probes and ports again", click: () => this.look() }, "↻"))),
			field("Address", this.typed, "typed-field wide"),
			field("ELF file", this.elf, "wide"),
			field("Rate", this.rate, "samples-only narrow", "per second"),
			field("Method", this.method, "samples-only"),
			field("Baud", this.baud, "calls-only narrow"),
			element("label", { class: "check", title: "Though the ELF file is not what runs on the target" }, this.force, "Force"),
			this.button,
			this.explained,
		);
		this.setKind("samples");
	}

	// fill shows what mprof was started with, or is connected to.
	fill(c: Connect): void {
		this.elf.value = c.elf;
		this.rate.value = c.rate ? String(c.rate) : "";
		this.baud.value = c.baud ? String(c.baud) : "";
		this.method.value = c.method || "auto";
		this.force.checked = c.force;
		this.names.samples = c.probe;
		this.names.calls = c.port;
		this.setKind(c.kind || "samples", false);
	}

	busy(on: boolean): void {
		this.button.disabled = on;
		this.button.textContent = on ? "Connecting…" : "Connect";
	}

	// look asks which probes and ports there are.
	async look(): Promise<void> {
		try {
			this.choices = await this.app.socket.ask<Choices>("choices");
		} catch (error) {
			this.app.fail(error);
		}
		this.list(this.name());
	}

	private setKind(kind: Kind, keep = true): void {
		if (keep) this.names[this.kind] = this.name();
		this.kind = kind;
		this.kinds.get(kind)!.checked = true;
		this.root.dataset["kind"] = kind;
		this.root.querySelector("#target-label")!.textContent = kind === "calls" ? "Serial port" : "Probe";
		const calls = kind === "calls";
		this.typed.placeholder = calls ? "/dev/ttyUSB0, COM3 or tcp:HOST:PORT" : "gdb:HOST:PORT or serial number";
		this.explained.textContent = calls ? "tcp:HOST:PORT is the UART of an emulator, or a port server."
			: "gdb:localhost:3333 is OpenOCD or pyOCD, 2331 J-Link, 61234 ST-LINK, 1234 QEMU. Else the serial number of a probe, tcp:HOST:PORT of one in the network, or sim:MODEL,FAULT.";
		this.list(this.names[kind]);
	}

	// name of the probe or port that is chosen or typed.
	private name(): string {
		return this.target.value === other ? this.typed.value.trim() : this.target.value;
	}

	// list shows the choices; a name that one of them has chooses it.
	private list(name: string): void {
		const known = (this.kind === "calls" ? this.choices.ports : this.choices.probes) ?? [];
		this.target.replaceChildren(...known.map(option), element("option", { value: other }, this.kind === "calls" ? "another port…" : "another probe, or a GDB server…"));
		this.select(name);
	}

	private select(name: string): void {
		const known = [...this.target.options].some((o) => o.value === name);
		this.typed.value = known ? "" : name;
		if (name && !known) {
			this.target.value = other;
		} else {
			this.target.value = name || (this.target.options[0]?.value ?? other);
		}
		this.chose();
	}

	private chose(): void {
		this.root.classList.toggle("typing", this.target.value === other);
	}

	private async connect(): Promise<void> {
		const name = this.name();
		const c: Connect = {
			kind: this.kind, probe: this.kind === "samples" ? name : "", port: this.kind === "calls" ? name : "",
			baud: Math.round(this.baud.valueAsNumber) || 0, elf: this.elf.value.trim(), extra: this.app.state.connect.extra ?? [],
			rate: this.rate.valueAsNumber || 0, method: this.method.value === "auto" ? "" : this.method.value, force: this.force.checked,
		};
		this.busy(true);
		await this.app.act("connect", c);
		this.busy(this.app.state.phase === "connecting");
	}
}

function option(c: Choice): HTMLOptionElement {
	const label = c.label && c.label !== c.name ? `${c.name} — ${c.label}` : c.name;
	return element("option", { value: c.name, title: c.problem }, c.problem ? `${label} (${c.problem})` : label);
}

function field(label: string, input: HTMLInputElement | HTMLSelectElement, kind: string, unit = ""): HTMLElement {
	return element("div", { class: "field " + kind }, element("label", { for: input.id }, unit ? `${label} ${unit}` : label), input);
}
