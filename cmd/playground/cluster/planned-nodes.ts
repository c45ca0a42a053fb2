/** A node of the playground. */
export interface PlannedNode {
  readonly name: string;
  /** Absent without topology. */
  readonly zone?: string;
}

export const firstNode = "node-1";

/** `node-1` and so on, dealt out to the zones in turn. */
export const planNodes = ({ nodes, zones }: { readonly nodes: number; readonly zones: number }): readonly PlannedNode[] =>
  Array.from({ length: nodes }, (_, i) => ({ name: `node-${i + 1}`, ...(zones > 0 && { zone: `zone-${(i % zones) + 1}` }) }));
