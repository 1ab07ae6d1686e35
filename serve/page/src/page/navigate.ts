// Moving in the timeline by mouse, fingers and wheel.
import type uPlot from "uplot";

export interface Movable {
	// window is what is shown, in seconds.
	window(): { from: number; to: number };
	moveTo(from: number, to: number): void;
	point(x: number, y: number, pointer: string): void;
	leave(): void;
	choose(x: number, y: number, twice: boolean): void;
}

// navigate listens on the plot's area.
export function navigate(u: uPlot, m: Movable): void {
	const area = u.over;
	const pointers = new Map<number, { x: number; y: number }>();
	let moved = 0;
	let began = { from: 0, to: 0, x: 0, spread: 0 };
	let select: { from: number } | null = null;

	const box = () => area.getBoundingClientRect();
	const middle = () => [...pointers.values()].reduce((sum, p) => sum + p.x, 0) / pointers.size;
	const spread = () => {
		const [a, b] = [...pointers.values()];
		return a && b ? Math.max(20, Math.abs(a.x - b.x)) : 0;
	};
	const begin = () => (began = { ...m.window(), x: middle(), spread: spread() });

	area.addEventListener("pointerdown", (e) => {
		if (e.button !== 0) return;
		area.setPointerCapture(e.pointerId);
		pointers.set(e.pointerId, { x: e.clientX - box().left, y: e.clientY });
		moved = 0;
		select = e.shiftKey ? { from: e.clientX - box().left } : null;
		begin();
	});
	area.addEventListener("pointermove", (e) => {
		const at = { x: e.clientX - box().left, y: e.clientY - box().top };
		const before = pointers.get(e.pointerId);
		if (!before) return m.point(at.x, at.y, e.pointerType);
		moved += Math.abs(at.x - before.x);
		pointers.set(e.pointerId, at);
		m.leave();
		if (select) {
			const left = Math.min(select.from, at.x);
			u.setSelect({ left, width: Math.abs(at.x - select.from), top: 0, height: area.clientHeight }, false);
			return;
		}
		if (moved < 4) return;
		area.classList.add("moving");
		const width = box().width;
		const length = (began.to - began.from) * (began.spread ? began.spread / spread() : 1);
		const anchor = began.from + (began.x / width) * (began.to - began.from);
		const from = anchor - (middle() / width) * length;
		m.moveTo(from, from + length);
	});
	const end = (e: PointerEvent) => {
		if (!pointers.delete(e.pointerId)) return;
		area.classList.remove("moving");
		const at = { x: e.clientX - box().left, y: e.clientY - box().top };
		if (select) {
			const [a, b] = [Math.min(select.from, at.x), Math.max(select.from, at.x)];
			select = null;
			u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
			if (b - a > 3) m.moveTo(u.posToVal(a, "x"), u.posToVal(b, "x"));
		} else if (moved < 4 && e.type === "pointerup") {
			m.choose(at.x, at.y, false);
		}
		if (pointers.size) begin();
	};
	area.addEventListener("pointerup", end);
	area.addEventListener("pointercancel", end);
	area.addEventListener("pointerleave", () => m.leave());
	area.addEventListener("dblclick", (e) => m.choose(e.clientX - box().left, e.clientY - box().top, true));
	area.addEventListener("wheel", (e) => {
		// Without a modifier the wheel scrolls where there is more below.
		const scrolls = area.closest(".scroll");
		const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
		const more = scrolls && scrolls.scrollHeight > scrolls.clientHeight + 1;
		if (!sideways && more && !e.ctrlKey && !e.metaKey) return;
		e.preventDefault();
		const { from, to } = m.window();
		const length = to - from;
		const unit = e.deltaMode === 1 ? 16 : 1;
		if (sideways) {
			const by = ((e.deltaX || e.deltaY) * unit * length) / box().width;
			return m.moveTo(from + by, to + by);
		}
		const share = (e.clientX - box().left) / box().width;
		const next = length * Math.exp((e.deltaY * unit) / 300);
		const at = from + share * length;
		m.moveTo(at - share * next, at + (1 - share) * next);
	}, { passive: false });
}
