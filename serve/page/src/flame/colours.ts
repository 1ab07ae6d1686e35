// Colours of frames: blue is thread mode, orange interrupts, pale idle time,
// grey what is not known, as in the Firefox Profiler's file. Functions of one
// category differ a little, each always in the same way.
import { isDark } from "../element";
import { Category } from "./frames";

// spread is a number of 0 to 1 that depends on nothing but the name.
export function spread(name: string): number {
	let hash = 2166136261;
	for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
	hash ^= hash >>> 15;
	hash = Math.imul(hash, 0x2c1b3c6d);
	return ((hash ^ (hash >>> 12)) >>> 0) / 4294967296;
}

// colour of a frame's area, under text of the page's own colour.
export function colour(name: string, category: number): string {
	const s = spread(name);
	const t = spread(name + "'");
	const dark = isDark();
	switch (category) {
		case Category.Thread:
			return dark ? hsl(205 + 26 * s, 34 + 14 * t, 27 + 11 * t) : hsl(200 + 28 * s, 62 + 20 * t, 75 + 9 * t);
		case Category.Interrupt:
			return dark ? hsl(20 + 18 * s, 50 + 14 * t, 27 + 8 * t) : hsl(22 + 18 * s, 84 + 12 * t, 72 + 8 * t);
		case Category.Idle:
			return dark ? hsl(220, 8, 21 + 3 * t) : hsl(220, 14, 90 + 3 * t);
		default:
			return dark ? hsl(260, 5, 33 + 4 * t) : hsl(260, 6, 78 + 4 * t);
	}
}

// found is the colour of a frame that matches a search.
export function found(name: string): string {
	const t = spread(name);
	return isDark() ? hsl(292, 48, 38 + 6 * t) : hsl(292, 70, 80 + 5 * t);
}

function hsl(hue: number, saturation: number, lightness: number): string {
	return `hsl(${hue.toFixed(1)} ${saturation.toFixed(1)}% ${lightness.toFixed(1)}%)`;
}
