import { Code } from "@csi-sidecars/csi";
import { annotation } from "../names.ts";
import type { TopologyProblem } from "./requirement.ts";

/** The scheduler's, or in a node deployment the provisioner's, choice of a node: on the claim. */
export const selectedNodeAnnotation = annotation.selectedNode;
const alphaSelectedNodeAnnotation = "volume.alpha.kubernetes.io/selected-node";

/** The annotations that name the selected node, for a claim's fields. */
export const selectedNodeAnnotations = [selectedNodeAnnotation, alphaSelectedNodeAnnotation] as const;

type Annotations = Readonly<Record<string, string | undefined>>;

/** The node a volume is to be created for; `undefined` if none was selected. An empty annotation is none. */
export function selectedNodeOf(annotations: Annotations = {}): string | undefined {
  return (annotations[selectedNodeAnnotation] ?? annotations[alphaSelectedNodeAnnotation]) || undefined;
}

/** The annotations of the claim with another node, or with none so that the scheduler chooses again; `undefined` if nothing changes. */
export function withSelectedNode(annotations: Record<string, string> = {}, node: string | undefined): Record<string, string> | undefined {
  if (annotations[selectedNodeAnnotation] === node) return undefined;
  const { [selectedNodeAnnotation]: _, ...others } = annotations;
  return node === undefined ? others : { ...others, [selectedNodeAnnotation]: node };
}

/** How long a node may be without the driver, or a registration without its node, before another node is asked for. */
export const rescheduleGraceMs = 30_000;

/** Whether the scheduler should choose another node because the selected one has had no usable topology for `lastingMs`. */
export function reschedulesForProblem(problem: TopologyProblem, lastingMs: number): boolean {
  switch (problem) {
    case "no-csinode":
      return true;
    case "not-registered":
    case "node-gone":
      return lastingMs >= rescheduleGraceMs;
    case "no-keys":
    case "labels-missing":
    case "not-allowed":
    case "bad-key":
    case "no-topology":
      return false;
  }
}

/** Whether the scheduler should choose another node because the driver has no capacity for the selected one. */
export function reschedulesForCode(code: number, topology: boolean, selectedNode: string | undefined): boolean {
  return code === Code.ResourceExhausted && topology && !!selectedNode;
}
