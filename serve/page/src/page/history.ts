// How the status went, for the small plots: a bounded number of points over
// the whole run.
import type { Status } from "./wire";

const most = 400;

export class History {
	time: number[] = [];
	rate: number[] = [];
	stolen: number[] = [];
	buffer: number[] = [];
	lost: number[] = [];
	private every = 0; // seconds between points
	private before: Status | null = null;

	add(s: Status): void {
		const last = this.time.at(-1);
		if (last !== undefined && s.elapsed - last <= this.every) return;
		this.time.push(s.elapsed);
		this.rate.push(s.rate);
		this.stolen.push(this.stolenSince(s) * 100);
		this.buffer.push(s.buffer > 0 ? (s.bufferUsed / s.buffer) * 100 : 0);
		this.lost.push(s.lost);
		this.before = s;
		if (this.time.length > most) this.thin();
	}

	// stolenSince is the share stolen since the point before, of two shares of all.
	private stolenSince(s: Status): number {
		const b = this.before;
		if (!b || s.elapsed <= b.elapsed) return s.stolenShare;
		return Math.max(0, (s.stolenShare * s.elapsed - b.stolenShare * b.elapsed) / (s.elapsed - b.elapsed));
	}

	private thin(): void {
		for (const column of [this.time, this.rate, this.stolen, this.buffer, this.lost]) {
			let n = 0;
			for (let i = 0; i < column.length; i += 2) column[n++] = column[i]!;
			column.length = n;
		}
		this.every = (this.time.at(-1)! - this.time[0]!) / this.time.length;
	}
}
