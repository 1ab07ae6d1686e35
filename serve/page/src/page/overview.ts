// The bar of the whole run above the timeline: which part is shown, where the
// gaps are.
import { element } from "../element";
import type { Event } from "./wire";

export class Overview {
	readonly root = element("div", { class: "overview", "aria-hidden": "true" });
	private readonly part = element("i", { class: "part" });
	private readonly marks = element("span");
	private total = 1;
	private drawn = "";

	// move is called with the time that the middle of the window shall have.
	constructor(move: (middle: number) => void) {
		this.root.append(this.marks, this.part);
		const to = (e: PointerEvent) => {
			const box = this.root.getBoundingClientRect();
			move(((e.clientX - box.left) / box.width) * this.total);
		};
		this.root.addEventListener("pointerdown", (e) => {
			this.root.setPointerCapture(e.pointerId);
			to(e);
		});
		this.root.addEventListener("pointermove", (e) => e.buttons & 1 && to(e));
	}

	draw(from: number, to: number, total: number, since: number, events: Event[]): void {
		this.total = Math.max(total, 1e-9);
		const share = (t: number) => `${Math.min(100, Math.max(0, (t / this.total) * 100))}%`;
		this.part.style.left = share(from);
		this.part.style.width = `max(6px, ${share(to - from)})`;
		const key = `${total.toPrecision(3)} ${events.length} ${since}`;
		if (key === this.drawn) return;
		this.drawn = key;
		const mark = (kind: string, at: number, length: number) => {
			const m = element("i", { class: kind });
			m.style.left = share(at);
			m.style.width = `max(${kind === "gap" ? 3 : 1}px, ${share(length)})`;
			return m;
		};
		this.marks.replaceChildren(...(since > 0 ? [mark("older", 0, since)] : []), ...events.slice(-500).map((e) => mark(e.off ? "gap" : "event", e.time, e.duration)));
	}
}
