// The connection to mprof: requests with their answers, what is pushed, and
// coming back after it broke.
import type { Failure, State, Update } from "./wire";

export interface Pushes {
	state(s: State): void;
	update(u: Update): void;
	// connected tells whether mprof can be reached; reason is why not.
	connected(on: boolean, reason: string): void;
	// has is what the page knows already.
	has(): { run: number; rev: number };
}

// Refused is an answer that is an error.
export class Refused extends Error {
	constructor(readonly failure: Failure) {
		super(failure.text);
	}
}

interface Waiting {
	resolve(value: unknown): void;
	reject(error: Error): void;
}

const slowest = 4000; // ms between attempts

export class Socket {
	private socket: WebSocket | null = null;
	private readonly waiting = new Map<number, Waiting>();
	private next = 1;
	private pause = 250;

	constructor(private readonly pushes: Pushes) {
		this.open();
	}

	// ask sends a request; the promise is its answer.
	ask<T>(what: string, using?: unknown): Promise<T> {
		const socket = this.socket;
		if (socket?.readyState !== WebSocket.OPEN) {
			return Promise.reject(new Refused({ text: "mprof cannot be reached.", hints: ["The page connects again by itself when mprof runs."] }));
		}
		const id = this.next++;
		socket.send(JSON.stringify(using === undefined ? { id, do: what } : { id, do: what, with: using }));
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve: resolve as (v: unknown) => void, reject }));
	}

	private open(): void {
		const address = new URL("ws", location.href);
		address.protocol = address.protocol.replace("http", "ws");
		const socket = new WebSocket(address);
		this.socket = socket;
		socket.onopen = () => {
			this.pause = 250;
			this.pushes.connected(true, "");
			socket.send(JSON.stringify({ do: "watch", with: this.pushes.has() }));
		};
		socket.onmessage = (e) => this.receive(JSON.parse(e.data as string));
		socket.onclose = (e) => {
			for (const w of this.waiting.values()) w.reject(new Refused({ text: "The connection to mprof broke before it answered.", hints: [] }));
			this.waiting.clear();
			this.pushes.connected(false, e.reason);
			setTimeout(() => this.open(), this.pause);
			this.pause = Math.min(slowest, this.pause * 2);
		};
	}

	private receive(m: { re?: number; ok?: unknown; error?: Failure; push?: string; state?: State; update?: Update }): void {
		if (m.re !== undefined) {
			const w = this.waiting.get(m.re);
			this.waiting.delete(m.re);
			if (m.error) w?.reject(new Refused(m.error));
			else w?.resolve(m.ok);
		} else if (m.push === "state" && m.state) {
			this.pushes.state(m.state);
		} else if (m.push === "update" && m.update) {
			this.pushes.update(m.update);
			this.socket?.send(JSON.stringify({ do: "ack", with: { run: m.update.run, rev: m.update.rev } }));
		}
	}
}
