"use strict";
// Click a frame to zoom, click Search or press / to search, Escape to reset both.
addEventListener("DOMContentLoaded", begin);
function begin() {
	const width = 1180, margin = 10, letter = 6.7;
	const frames = [...document.querySelectorAll(".f")].map(g => ({
		g, rect: g.querySelector("rect"), text: g.querySelector("text"), name: g.querySelector("title").textContent.split("\n")[0],
		x: Number(g.dataset.x), w: Number(g.dataset.w), d: Number(g.dataset.d),
	}));
	const reset = document.getElementById("reset"), matched = document.getElementById("matched");
	// zoom makes a frame as wide as the picture; its callers stay, paler.
	function zoom(to) {
		for (const f of frames) {
			const above = f.d < to.d && f.x <= to.x + 1e-9 && f.x + f.w >= to.x + to.w - 1e-9;
			const inside = f.d >= to.d && f.x >= to.x - 1e-9 && f.x + f.w <= to.x + to.w + 1e-9;
			f.g.classList.toggle("above", above);
			f.g.classList.toggle("off", !above && !inside);
			const x = above ? 0 : (f.x - to.x) / to.w, w = above ? 1 : f.w / to.w;
			f.rect.setAttribute("x", margin + width * x);
			f.rect.setAttribute("width", width * w);
			f.text.setAttribute("x", margin + width * x + 3);
			const room = Math.floor((width * w - 6) / letter), name = [...f.name];
			f.text.textContent = room < 3 ? "" : name.length > room ? name.slice(0, room - 1).join("") + "…" : f.name;
		}
		reset.setAttribute("visibility", to.d > 0 ? "visible" : "hidden");
	}
	// search marks what matches; a frame below another that matches counts with that one.
	function search(wanted) {
		if (wanted === null) return;
		let match = null;
		if (wanted !== "") {
			try { match = new RegExp(wanted, "i"); } catch { match = { test: name => name.includes(wanted) }; }
		}
		let share = 0, end = 0;
		const found = frames.filter(f => {
			const is = match !== null && f.d > 0 && match.test(f.name);
			f.g.classList.toggle("found", is);
			return is;
		});
		for (const f of found.sort((a, b) => a.x - b.x || b.w - a.w)) {
			if (f.x + f.w > end + 1e-9) {
				share += f.x + f.w - Math.max(end, f.x);
				end = f.x + f.w;
			}
		}
		matched.textContent = match === null ? "" : `${(share * 100).toFixed(2)} % match ${wanted}`;
	}
	const ask = () => search(prompt("Search for a function (regular expression)", ""));
	for (const f of frames) f.g.addEventListener("click", () => zoom(f));
	reset.addEventListener("click", () => zoom(frames[0]));
	document.getElementById("search").addEventListener("click", ask);
	addEventListener("keydown", e => {
		if (e.key === "/" || e.key === "f" && (e.ctrlKey || e.metaKey)) {
			e.preventDefault();
			ask();
		} else if (e.key === "Escape") {
			zoom(frames[0]);
			search("");
		}
	});
}
