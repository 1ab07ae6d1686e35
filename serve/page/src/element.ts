// Elements of the document, made without markup: no text becomes HTML.

type Attributes = Record<string, string | number | boolean | ((event: any) => void)>;

// element makes one: attributes that are functions are listeners, true is an
// attribute without value, false none.
export function element<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	attributes: Attributes = {},
	...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === "function") e.addEventListener(name, value);
		else if (value === true) e.setAttribute(name, "");
		else if (value !== false) e.setAttribute(name, String(value));
	}
	e.append(...children);
	return e;
}

// say changes a text only if it is another: selections and readers stay.
export function say(node: Element, text: string): void {
	if (node.textContent !== text) node.textContent = text;
}

// calm tells whether the user wants no movement.
export function calm(): boolean {
	return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// isDark tells the theme in use: chosen on the page, else the system's.
export function isDark(): boolean {
	const chosen = document.documentElement.dataset["theme"];
	return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
