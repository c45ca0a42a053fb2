import { type Client, isAlreadyExists, mergePatch, Node, type V1Node } from "@csi-sidecars/kube";

/** kubectl describe shows requests as percentages of these. */
const capacity = { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** Creates a node that is ready for pods, as a kubelet and the node controller would. An existing one keeps its status and its taints. */
export async function ensureNode(
  admin: Client,
  metadata: { readonly name: string; readonly labels: Record<string, string> },
  now: number,
): Promise<void> {
  const { name } = metadata;
  const labels = { ...wellKnown(name), ...metadata.labels };
  try {
    await admin.create(Node, { metadata: { name, labels }, status: readyStatus(new Date(now)) });
    // The API server taints every new node, and there is no node controller to remove the taint.
    await admin.patch(Node, { name }, mergePatch({ spec: { taints: null } }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await admin.patch(Node, { name }, mergePatch({ metadata: { labels } }));
  }
}

const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** The labels of every node, which the node selectors of pods rely on. */
const wellKnown = (name: string) => ({
  "kubernetes.io/hostname": name,
  "kubernetes.io/os": "linux",
  "kubernetes.io/arch": architecture,
});

function readyStatus(now: Date): V1Node["status"] {
  const at = now.toISOString().replace(/\.\d+/, "");
  return {
    capacity,
    allocatable: capacity,
    conditions: [
      {
        ...{ type: "Ready", status: "True", reason: "KubeletReady", message: "a playground node, which runs no containers" },
        ...{ lastHeartbeatTime: at, lastTransitionTime: at },
      },
    ],
    nodeInfo: {
      ...{ kubeletVersion: "playground", osImage: "playground", containerRuntimeVersion: "none", kernelVersion: "none" },
      ...{ operatingSystem: "linux", architecture },
      ...{ kubeProxyVersion: "", machineID: "", systemUUID: "", bootID: "" },
    },
  };
}

/** A node of the playground. */
export interface PlannedNode {
  readonly name: string;
  /** Absent without topology. */
  readonly zone?: string;
}

export const firstNode = "node-1";

/** `node-1` and so on, spread evenly over the zones. */
export const planNodes = ({ nodes, zones }: { readonly nodes: number; readonly zones: number }): readonly PlannedNode[] =>
  Array.from({ length: nodes }, (_, i) => ({ name: `node-${i + 1}`, ...(zones > 0 && { zone: `zone-${(i % zones) + 1}` }) }));
