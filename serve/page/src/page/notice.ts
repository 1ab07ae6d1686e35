// Messages above the views: what failed, what to do, and what mprof remarks.
import { element } from "../element";
import { Refused } from "./socket";
import type { Failure } from "./wire";
import { inWords } from "./words";

export class Notices {
	readonly root = element("div", { class: "notices" });
	private readonly failure = element("div", { role: "alert" });
	private readonly link = element("div", { role: "status" });
	private readonly remarks = element("div", { class: "remarks" });
	private shown = "";
	command = false; // the run is that of a command line, whose words those of mprof are

	constructor() {
		this.root.append(this.link, this.failure, this.remarks);
	}

	// fail shows an error until it is closed, or until null.
	fail(error: unknown): void {
		const f = error === null ? null : failure(error);
		const key = JSON.stringify(f);
		if (key === this.shown) return;
		this.shown = key;
		if (!f) return this.failure.replaceChildren();
		this.failure.replaceChildren(
			element("div", { class: "notice bad" },
				element("div", {}, element("p", {}, sentence(this.words(f.text))), ...(f.hints ?? []).map((hint) => element("p", { class: "hint" }, this.words(hint)))),
				element("button", { type: "button", class: "icon", "aria-label": "Close this message", click: () => this.fail(null) }, "✕"),
			),
		);
	}

	// connected shows whether mprof answers.
	connected(on: boolean, reason: string): void {
		const why = reason ? `${sentence(reason)} ` : "";
		this.link.replaceChildren(...(on ? [] : [element("div", { class: "notice warn" }, element("p", {}, `mprof does not answer. ${why}What it sent until now stays here; the page connects again by itself.`))]));
	}

	private words(text: string): string {
		return this.command ? text : inWords(text);
	}

	remark(remarks: string[]): void {
		const texts = remarks.map((text) => this.words(text));
		if (this.remarks.childElementCount === texts.length && [...this.remarks.children].every((c, i) => c.textContent === texts[i])) return;
		this.remarks.replaceChildren(...texts.map((text) => element("p", {}, text)));
	}
}

function failure(error: unknown): Failure {
	if (error instanceof Refused) return error.failure;
	if (error instanceof Error) return { text: error.message, hints: [] };
	return typeof error === "object" && error !== null && "text" in error ? (error as Failure) : { text: String(error), hints: [] };
}

// sentence of an error: without the package that it comes from, and with a capital.
function sentence(text: string): string {
	const plain = text.replace(/^[a-z]+: /, "");
	const s = /^mprof\b/.test(plain) ? plain : plain.charAt(0).toUpperCase() + plain.slice(1);
	return /[.!?]$/.test(s) ? s : s + ".";
}
