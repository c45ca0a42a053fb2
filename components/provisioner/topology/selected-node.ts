import { annotation } from "../names.ts";

/** The scheduler's, or in a node deployment the provisioner's, choice of a node: on the claim. */
export const selectedNodeAnnotation = annotation.selectedNode;
const alphaSelectedNodeAnnotation = "volume.alpha.kubernetes.io/selected-node";

/** The annotations that say the selected node: what to declare in a claim's fields. */
export const selectedNodeAnnotations = [selectedNodeAnnotation, alphaSelectedNodeAnnotation] as const;

type Annotations = Readonly<Record<string, string | undefined>>;

/** The node a volume is to be created for; `undefined` if none was selected. An empty annotation is none. */
export function selectedNodeOf(annotations: Annotations = {}): string | undefined {
  return (annotations[selectedNodeAnnotation] ?? annotations[alphaSelectedNodeAnnotation]) || undefined;
}

/** The annotations of the claim with another choice, or with none so that the scheduler chooses anew; `undefined` if they say so already. */
export function withSelectedNode(annotations: Record<string, string> = {}, node: string | undefined): Record<string, string> | undefined {
  if (annotations[selectedNodeAnnotation] === node) return undefined;
  const { [selectedNodeAnnotation]: _, ...others } = annotations;
  return node === undefined ? others : { ...others, [selectedNodeAnnotation]: node };
}
