import type { ClusterNode, ClusterPod } from "../fields.ts";

type Taint = NonNullable<NonNullable<ClusterNode["spec"]>["taints"]>[number];
type Toleration = NonNullable<NonNullable<ClusterPod["spec"]>["tolerations"]>[number];

/** The server gives it to every new node. Nodes are served here from the moment they exist, and no controller takes it away. */
const sinceCreation = "node.kubernetes.io/not-ready";

/** Where a cordon is a taint: a pod that tolerates it goes to cordoned nodes. */
const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Whether the pod may be placed although the node is cordoned. */
export const toleratesCordon = (pod: ClusterPod): boolean => isTolerated(cordon, pod.spec?.tolerations ?? []);

/** Whether no taint keeps the pod from the node. `PreferNoSchedule` keeps nobody away. */
export function toleratesTaints(pod: ClusterPod, node: ClusterNode): boolean {
  const hard = (node.spec?.taints ?? []).filter(
    ({ key, effect }) => effect === "NoExecute" || (effect === "NoSchedule" && key !== sinceCreation),
  );
  return hard.every((taint) => isTolerated(taint, pod.spec?.tolerations ?? []));
}

/** An empty key, with `Exists`, stands for every key; an empty effect for every effect. */
const isTolerated = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  tolerations.some(
    ({ key, effect, operator = "Equal", value = "" }) =>
      (!effect || effect === taint.effect) &&
      (!key || key === taint.key) &&
      (operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""))),
  );
