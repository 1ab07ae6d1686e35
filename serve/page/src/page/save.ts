// The menu that saves what was collected, in any format that mprof writes.
import { element } from "../element";
import type { App } from "./app";
import { Refused } from "./socket";
import type { Failure, Format } from "./wire";

export function saveMenu(app: App): { root: HTMLDetailsElement; recording(file: string): void } {
	const list = element("div", { class: "menu" });
	const summary = element("summary", { id: "save", role: "button" }, "Save as");
	const root = element("details", { class: "dropdown" }, summary, list);
	const recording = element("button", { type: "button", click: () => save("recording") }, "Recording ", element("small", {}, "all that came from the target"));
	const save = async (format: string) => {
		root.open = false;
		summary.textContent = "Saving…";
		try {
			await download("save?format=" + encodeURIComponent(format));
		} catch (error) {
			app.fail(error);
		}
		summary.textContent = "Save as";
	};
	const fill = async () => {
		const answer = await fetch("formats");
		const formats = (await answer.json()) as Format[];
		list.replaceChildren(...formats.map((f) => element("button", { type: "button", "data-format": f.ext, click: () => save(f.ext) }, f.name + " ", element("small", {}, f.ext))), recording);
	};
	root.addEventListener("toggle", () => {
		if (root.open && list.childElementCount === 0) fill().catch(app.fail);
	});
	document.addEventListener("click", (e) => {
		if (!root.contains(e.target as Node)) root.open = false;
	});
	root.addEventListener("focusout", (e) => {
		if (e.relatedTarget && !root.contains(e.relatedTarget as Node)) root.open = false;
	});
	root.addEventListener("keydown", (e) => {
		if (e.key !== "Escape" || !root.open) return;
		root.open = false;
		summary.focus();
		e.stopPropagation();
	});
	return { root, recording: (file) => void (recording.hidden = file === "") };
}

// download asks for a file and hands it to the browser, or throws what mprof says.
async function download(address: string): Promise<void> {
	const answer = await fetch(address);
	if (!answer.ok) {
		const text = await answer.text();
		let failure: Failure = { text: text || `mprof answers ${answer.status}`, hints: [] };
		try {
			failure = (JSON.parse(text) as { error: Failure }).error ?? failure;
		} catch {
			// A plain sentence, then.
		}
		throw new Refused(failure);
	}
	const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "mprof-profile";
	const url = URL.createObjectURL(await answer.blob());
	element("a", { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
