// What mprof says to its command line, in the words of this page.

// controls of the form, by the flags that stand for them.
const controls: Record<string, string> = {
	force: "Force", rate: "Rate", method: "Method", baud: "Baud", elf: "ELF file", probe: "Probe", port: "Serial port", duration: "the duration",
};

// Flags of mprof serve that the page has no control for.
const options = ["ap", "connect-under-reset", "core", "extra-elf", "max-halt", "max-overhead", "monitor", "no-guess", "reset", "resume", "speed"];

const simulated = /mprof (sample --probe sim|trace --demo)/;

// inWords replaces flags by the page's controls, and says which are given to mprof serve. Whole
// commands stay.
export function inWords(text: string): string {
	const given = new Set<string>();
	const said = text.replace(simulated, "choose sim, the simulated board").replace(/(mprof [a-z]+ [^.;:]*--[^.;:]*)|--([a-z][a-z-]*)/g, (all: string, command: string | undefined, flag: string) => {
		if (command) return command;
		if (options.includes(flag)) given.add(all);
		return controls[flag] ?? all;
	});
	if (given.size === 0) return said;
	const flags = [...given];
	const list = flags.length > 1 ? `${flags.slice(0, -1).join(", ")} and ${flags.at(-1)!} are options` : `${flags[0]!} is an option`;
	return `${said}${/[.!?]$/.test(said) ? "" : "."} (${list} of mprof serve.)`;
}
