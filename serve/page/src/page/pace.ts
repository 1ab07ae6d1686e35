// Drawing at the pace that the page can keep: once per frame at most, not
// while it is hidden, and no more than a quarter of the time.

export class Pace {
	private due = false;
	private after = 0;

	constructor(private readonly draw: () => void) {
		document.addEventListener("visibilitychange", () => this.due && this.plan());
	}

	// soon draws when it is time to.
	soon(): void {
		if (this.due) return;
		this.due = true;
		this.plan();
	}

	private plan(): void {
		if (document.hidden) return;
		setTimeout(() => requestAnimationFrame(() => this.now()), Math.max(0, this.after - performance.now()));
	}

	private now(): void {
		if (!this.due) return;
		this.due = false;
		const began = performance.now();
		this.draw();
		const took = performance.now() - began;
		this.after = began + 4 * took;
	}
}
