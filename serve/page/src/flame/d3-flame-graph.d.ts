// What is used of d3-flame-graph, which brings no types.
declare module "d3-flame-graph" {
	import type { Selection } from "d3-selection";
	import type { HierarchyRectangularNode } from "d3-hierarchy";

	export interface Chart<D> {
		(selection: Selection<any, any, any, any>): void;
		update(): void;
		width(px: number): Chart<D>;
		height(px: number): Chart<D>;
		cellHeight(px: number): Chart<D>;
		inverted(on: boolean): Chart<D>;
		transitionDuration(ms: number): Chart<D>;
		tooltip(t: object): Chart<D>;
		getName(name: (d: HierarchyRectangularNode<D>) => string): Chart<D>;
		setColorMapper(color: (d: HierarchyRectangularNode<D>, original: string) => string): Chart<D>;
	}
	export default function flamegraph<D>(): Chart<D>;
}
