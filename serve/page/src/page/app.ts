// What the parts of the page share.
import type { Socket } from "./socket";
import type { Store } from "./store";
import type { State } from "./wire";

export interface App {
	socket: Socket;
	store: Store;
	state: State;
	// act asks for something and shows what became of it, if that is an error.
	act(what: string, using?: unknown): Promise<boolean>;
	// fail shows an error with its hints.
	fail(error: unknown): void;
	// open shows a view, with what to search for in it.
	open(view: string, search?: string): void;
}

// View is one of the large parts of the page.
export interface View {
	readonly id: string;
	readonly title: string;
	readonly root: HTMLElement;
	// draw shows what is known now; it is called only while the view can be seen.
	draw(): void;
	// key takes a key that no field wanted; true: it was for this view.
	key(e: KeyboardEvent): boolean;
	search?(text: string): void;
}

// unstarted is the state before mprof has said its own.
export const unstarted: State = {
	phase: "idle",
	connect: { kind: "samples", probe: "", port: "", baud: 0, elf: "", extra: [], rate: 0, method: "", force: false },
	device: "", source: "", elf: "", recording: "", collected: false, waiting: false, watched: false,
};
