// Numbers as the summary of mprof prints them.

// significant rounds to so many significant digits, without an exponent.
export function significant(value: number, digits: number): string {
	if (!isFinite(value)) return "not known";
	if (value === 0) return "0";
	const before = Math.floor(Math.log10(Math.abs(value))) + 1;
	const text = value.toFixed(Math.min(20, Math.max(0, digits - before)));
	// 9.996 rounds up to one digit more.
	const again = Math.floor(Math.log10(Math.abs(Number(text)))) + 1;
	return again > before ? value.toFixed(Math.min(20, Math.max(0, digits - again))) : text;
}

// duration of seconds, in the unit that suits it.
export function duration(seconds: number, digits = 4): string {
	const size = Math.abs(seconds);
	if (seconds === 0) return "0 s";
	if (size >= 600) return clock(seconds);
	if (size >= 0.9995) return significant(seconds, digits) + " s";
	if (size >= 0.9995e-3) return significant(seconds * 1e3, digits) + " ms";
	if (size >= 0.9995e-6) return significant(seconds * 1e6, digits) + " µs";
	return significant(seconds * 1e9, digits) + " ns";
}

// aligned is a duration for a column: with all four digits.
export function aligned(seconds: number): string {
	let v = Math.round(seconds * 1e9);
	let unit = "ns";
	for (const u of ["µs", "ms", "s"]) {
		if (Math.abs(v) < 999.95 && (unit !== "ns" || Math.abs(v) < 1000)) break;
		[v, unit] = [v / 1000, u];
	}
	const digits = unit === "ns" ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.max(Math.abs(v), 1))));
	return `${fixed(v, digits)} ${unit}`;
}

// moment is a time since the start of the run, as it takes to find a call on a timeline.
export function moment(seconds: number): string {
	return seconds < 1 ? fixed(Math.round(seconds * 1e9) / 1e6, 3) + " ms" : fixed(seconds, 3) + " s";
}

// clock prints seconds as 12:34 or 1:02:03.
export function clock(seconds: number): string {
	const s = Math.floor(seconds);
	const two = (n: number) => String(n).padStart(2, "0");
	const hours = Math.floor(s / 3600);
	const rest = `${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
	return hours > 0 ? `${hours}:${rest}` : rest;
}

// fixed rounds as Go does: what lies exactly between goes to the even digit.
function fixed(value: number, digits: number): string {
	const exact = value.toFixed(Math.min(100, digits + 60));
	const end = exact.length - 60;
	if (digits > 40 || !/^50*$/.test(exact.slice(end))) return value.toFixed(digits);
	const down = exact.slice(0, end);
	return /[02468]$/.test(down) ? down : value.toFixed(digits);
}

// percent of a share of 0 to 1: two decimals below 10 %, one above, as many as it
// takes to tell a small one from nothing.
export function percent(share: number): string {
	if (share >= 0.1) return fixed(share * 100, 1) + " %";
	if (share === 0 || share >= 0.0001) return fixed(share * 100, 2) + " %";
	return significant(share * 100, 2) + " %";
}

// plusMinus is a standard error of a share, in percent points.
export function plusMinus(error: number): string {
	return "±" + fixed(error * 100, 2);
}

const grouped = new Intl.NumberFormat("en-GB", { useGrouping: true });

// count with thin spaces between thousands.
export function count(n: number): string {
	return grouped.format(Math.round(n)).replaceAll(",", "\u202f");
}

// perSecond is a rate.
export function perSecond(rate: number): string {
	return (rate >= 1000 ? count(rate) : significant(rate, 3)) + "/s";
}

// bytes in the unit that suits them.
export function bytes(n: number): string {
	if (n < 10240) return count(n) + " B";
	if (n < 1000 * 1024) return significant(n / 1024, 3) + " KiB";
	return significant(n / 1048576, 3) + " MiB";
}

// plural of a noun that forms it with an s.
export function plural(n: number, noun: string): string {
	return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}
