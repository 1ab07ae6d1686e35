// The messages between the page and mprof: live/wire.go, session/session.go
// and serve/page/message.go say what they mean.

export interface Update {
	run: number;
	since: number;
	rev: number;
	kind: Kind;
	functions: { from: number; name: string[] | null; file: string[] | null; line: number[] | null; label: boolean[] | null };
	nodes: { from: number; parent: number[] | null; function: number[] | null; category: number[] | null; inlined: number[] | null };
	tracks: string[] | null;
	counts: { track: number[] | null; node: number[] | null; count: number[] | null; time: number[] | null };
	table: Row[] | null;
	events: Event[] | null;
	status: Status;
}

export type Kind = "samples" | "calls";

export interface Row {
	function: number;
	self?: number;
	total?: number;
	selfShare?: number;
	selfError?: number;
	totalShare?: number;
	totalError?: number;
	calls?: number;
	selfTime?: number;
	totalTime?: number;
	min?: number;
	mean?: number;
	p50?: number;
	p99?: number;
	max?: number;
	longestAt?: number;
	longest?: number;
	open?: boolean; // calls that have not returned: totalTime is what they called
	atLeast?: boolean; // a call lasted longer than the target's clock can tell
}

export interface Event {
	time: number;
	duration: number;
	name: string;
	detail: string;
	off: boolean;
}

export interface Status {
	elapsed: number;
	rate: number;
	asked: number;
	taken: number;
	cut: number;
	stolenShare: number;
	haltedP50: number;
	haltedP99: number;
	idleShare: number;
	idleError: number;
	calls: number;
	lost: number;
	bytes: number;
	bufferUsed: number;
	buffer: number;
	contexts: { track: number; value: number }[] | null;
	resets: number;
	remarks: string[] | null;
}

export interface Window {
	from: number;
	to: number;
	pixels: number;
	track: number;
	depth: number;
}

export interface Timeline {
	run: number;
	from: number;
	to: number;
	tracks: Lane[] | null;
	gaps: Event[] | null;
	exact: boolean;
	since: number;
}

export interface Lane {
	track: number;
	name: string;
	start: number[] | null;
	length: number[] | null;
	depth: number[] | null;
	function: number[] | null;
	count: number[] | null;
}

export interface Line {
	file: string;
	line: number;
	name: string;
	self: number;
	share: number;
	error: number;
	first: number;
	source: string[] | null;
}

export type Phase = "idle" | "connecting" | "ready" | "running" | "stopping" | "lost";

export interface Connect {
	kind: Kind;
	probe: string;
	port: string;
	baud: number;
	elf: string;
	extra: string[];
	rate: number;
	method: string;
	force: boolean;
}

export interface State {
	phase: Phase;
	connect: Connect;
	device: string;
	source: string;
	elf: string;
	recording: string;
	collected: boolean;
	waiting: boolean; // lost, and the run goes on when the target is back
	watched: boolean; // the run of a command line: it can be stopped and saved, no more
	error?: Failure | null;
}

export interface Failure {
	text: string;
	hints: string[] | null;
}

export interface Choice {
	name: string;
	label: string;
	problem: string;
}

export interface Choices {
	probes: Choice[] | null;
	ports: Choice[] | null;
}

export interface Format {
	name: string;
	ext: string;
}
