import { type Client, isAlreadyExists, mergePatch, Node, type V1Node } from "@csi-sidecars/kube";

/** Without them kubectl counts in percents of nothing. */
const capacity = { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** Makes a node that is ready for pods, as a kubelet and the controllers of a cluster would. One that is there keeps what it knows of attached volumes. */
export async function ensureNode(
  admin: Client,
  metadata: { readonly name: string; readonly labels: Record<string, string> },
  now: number,
): Promise<void> {
  const { name } = metadata;
  const labels = { ...wellKnown(name), ...metadata.labels };
  try {
    await admin.create(Node, { metadata: { name, labels }, status: readyStatus(new Date(now)) });
    // The server taints every new node, and no controller for nodes is here to take that back.
    await admin.patch(Node, { name }, mergePatch({ spec: { taints: null } }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await admin.patch(Node, { name }, mergePatch({ metadata: { labels } }));
  }
}

const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** The labels of every node, which selectors of pods count on. */
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
        ...{ type: "Ready", status: "True", reason: "KubeletReady", message: "a node of the playground: no container runs on it" },
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
