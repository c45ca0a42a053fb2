import type { V1PersistentVolume } from "@csi-sidecars/kube";

/** Where a volume can be reached from, in a word: the values of its node affinity; empty where it says nothing. */
export function topologyOf({ spec }: V1PersistentVolume): string {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const places = terms.map(({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values).join("/"));
  return places.join(", ");
}
