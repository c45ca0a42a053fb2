import { noProvisioner, type V1StorageClass } from "@csi-sidecars/kube";

interface Obstacle {
  readonly isIn: RegExp;
  readonly meaning: string;
  readonly remedy: string;
}

const noVolume: Obstacle = {
  isIn: /find available persistent volumes to bind/i,
  meaning: "no existing volume fits its claims",
  remedy: "create a PersistentVolume that fits, on a node that the pod may run on",
};

/** What keeps pods from nodes, as kube-scheduler says it in its long message; what concerns volumes first. */
const obstacles: readonly Obstacle[] = [
  {
    isIn: /CSI driver is not installed/i,
    meaning: "the driver is not installed on nodes that the pod may run on",
    remedy: "check that the driver's node pod runs there and has registered (kubectl get csinodes), or let the pod run where it does",
  },
  {
    isIn: /enough free storage/i,
    meaning: "the storage has too little capacity where the pod may run",
    remedy:
      "the driver reports too little capacity where the pod may run (kubectl get csistoragecapacities -A): free or add capacity, or request less",
  },
  {
    // Older schedulers call it a conflict; those of volumes that name a zone in labels have words of their own.
    isIn: /volume node affinity conflict|didn't match PersistentVolume's node affinity|no available volume zone/i,
    meaning: "its volume cannot be used on the other nodes",
    remedy: "let the pod run where its volume is (nodeAffinity of the PersistentVolume): make room there, or remove what keeps it away",
  },
  {
    isIn: /max volume count|too many volumes/i,
    meaning: "nodes have as many volumes as the driver allows",
    remedy: "add nodes, or move pods with volumes to others",
  },
  {
    isIn: /unbound immediate PersistentVolumeClaims|persistentvolumeclaim "[^"]*" not found/i,
    meaning: "its claims are not bound",
    remedy: "see the steps of its claims",
  },
  {
    isIn: /persistentvolumeclaim "[^"]*" is being deleted/i,
    meaning: "a claim of it is being deleted",
    remedy: "see the steps of its claims; create the claim again when it is gone, or name another one in the volumes of the pod",
  },
  {
    isIn: /bound to non-existent/i,
    meaning: "a claim of it is bound to a volume that does not exist any more",
    remedy: "restore the PersistentVolume object, or delete the claim and restore its data from a backup",
  },
  {
    isIn: /waiting for ephemeral volume controller/i,
    meaning: "the claim of its ephemeral volume is not created yet",
    remedy: "if it stays so, check that kube-controller-manager runs",
  },
  {
    isIn: /ReadWriteOncePod access mode/i,
    meaning: "another pod uses its claim, whose access mode is ReadWriteOncePod",
    remedy: "stop the other pod (kubectl get pods: it may run on any node), or use a claim with another access mode",
  },
  noVolume,
  { isIn: /no nodes available to schedule pods/i, meaning: "the cluster has no nodes", remedy: "add nodes" },
  { isIn: /were unschedulable/i, meaning: "nodes are cordoned", remedy: "make them schedulable again (kubectl uncordon)" },
  { isIn: /insufficient|too many pods/i, meaning: "nodes are full", remedy: "free resources on a node, or request less" },
  {
    isIn: /untolerated taint|taints that the pod didn't tolerate/i,
    meaning: "nodes have taints that the pod does not tolerate",
    remedy: "remove the taints, or add tolerations to the pod",
  },
  {
    isIn: /node affinity\/selector|node selector/i,
    meaning: "nodes do not match the pod's node selector or affinity",
    remedy: "change the pod's nodeSelector or affinity, or label a node",
  },
  {
    isIn: /anti-affinity rules|pod affinity rules|topology spread constraints/i,
    meaning: "the rules for placing pods beside others leave no node",
    remedy: "relax podAffinity, podAntiAffinity or topologySpreadConstraints of the pod, or add nodes",
  },
];

/** The scheduler says the same of a node without a volume and of one where the class lets no volume be created. */
function inWordsOfClass(obstacle: Obstacle, classes: readonly V1StorageClass[]): Obstacle {
  const limiting = classes.find(({ provisioner, allowedTopologies = [] }) => provisioner !== noProvisioner && allowedTopologies.length > 0);
  if (obstacle !== noVolume || !limiting) return obstacle;
  const nodes = limiting.allowedTopologies?.map(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key, values }) => `${key} is ${values.join(" or ")}`).join(" and "),
  );
  const name = limiting.metadata?.name ?? "";
  return {
    ...obstacle,
    meaning: `class ${name} allows volumes only on nodes where ${nodes?.join(", or ")}`,
    remedy: `compare allowedTopologies of class ${name} with the labels of the nodes (kubectl get nodes --show-labels), and correct it; or let the pod run where it allows volumes`,
  };
}

/** The message of kube-scheduler in a few words, and what to do. `classes`: those of the pod's claims that have no volume yet. */
export function explainScheduling(
  message: string,
  classes: readonly V1StorageClass[] = [],
): { readonly meaning: string | undefined; readonly remedy: string } {
  const found = obstacles.filter(({ isIn }) => isIn.test(message)).map((obstacle) => inWordsOfClass(obstacle, classes));
  if (found.length === 0) return { meaning: undefined, remedy: "free resources on a node, or relax the scheduling constraints of the pod" };
  return { meaning: found.map(({ meaning }) => meaning).join("; "), remedy: found.map(({ remedy }) => remedy).join("; or ") };
}
