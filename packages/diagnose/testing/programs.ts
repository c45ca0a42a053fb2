import { bool, type Component, component, duration, gate, type SidecarProgram } from "@csi-sidecars/host";

const idle = async () => ({ done: Promise.resolve() });
const read = ["get", "list", "watch"];

/** A component as the attacher is one: rules that are always needed, and one that is not. */
export const mover = component({
  name: "mover",
  standalone: "csi-mover",
  onByDefault: true,
  leadership: "required",
  kube: true,
  driver: "ready",
  processFlags: ["leader-election", "leader-election-namespace", "kubeconfig", "csi-address"],
  flags: { timeout: duration("15s", "Limit of a call.", { follows: "timeout" }) },
  rbac: () => ({
    cluster: [
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["patch", ...read] },
      { apiGroups: ["storage.k8s.io"], resources: ["volumeattachments"], verbs: [...read, "patch"] },
      { apiGroups: ["storage.k8s.io"], resources: ["volumeattachments/status"], verbs: ["patch"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"], because: "reads the secrets that volumes name" },
    ],
    namespaced: [],
  }),
  start: idle,
});

/** A component as the provisioner is one: a flag asks for more, some of it in its own namespace. */
export const maker = component({
  name: "maker",
  standalone: "csi-maker",
  onByDefault: true,
  leadership: "required",
  kube: true,
  driver: "ready",
  processFlags: ["leader-election", "leader-election-namespace", "kubeconfig", "csi-address"],
  flags: { "enable-capacity": bool(false, "Publish capacity."), "per-node": bool(false, "One on each node.") },
  validate: ({ perNode }, { process }) => (perNode && process.leaderElection ? ["nobody is elected on a node"] : []),
  gates: { Clones: gate(false, "alpha", "Make volumes from others.") },
  missingEnvironment: ({ enableCapacity }, { env, flagName }) =>
    enableCapacity && !env.POD_NAME ? [`--${flagName("enable-capacity")} needs POD_NAME`] : [],
  async unsupported({ driver }) {
    return (await driver.capabilities.controller()).size > 0 ? undefined : "the driver makes no volumes";
  },
  rbac: ({ enableCapacity }) => ({
    cluster: [
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: [...read, "create", "delete"] },
      {
        apiGroups: ["snapshot.storage.k8s.io"],
        resources: ["volumesnapshots"],
        verbs: ["get"],
        because: "makes volumes from snapshots",
      },
      { apiGroups: ["clones.example.com"], resources: ["clones"], verbs: ["get"], gate: "Clones" },
    ],
    namespaced: enableCapacity
      ? [{ apiGroups: ["storage.k8s.io"], resources: ["csistoragecapacities"], verbs: [...read, "create"], because: "--enable-capacity" }]
      : [],
  }),
  start: idle,
});

/** A component that belongs to no driver, and has a lease of its own. */
export const judge = component({
  name: "judge",
  standalone: "claim-judge",
  leadership: "own",
  kube: true,
  driver: "none",
  processFlags: ["leader-election", "leader-election-namespace", "kubeconfig"],
  flags: {},
  legacyLease: () => "claim-judge-leader",
  rbac: () => ({ cluster: [{ apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["list", "watch"] }], namespaced: [] }),
  start: idle,
});

/** A component that never talks to the API server. */
export const prober = component({
  name: "prober",
  standalone: "prober",
  leadership: "none",
  kube: false,
  driver: "unknown",
  processFlags: ["csi-address"],
  flags: {},
  rbac: () => ({ cluster: [], namespaced: [] }),
  start: idle,
});

export const allInOne: SidecarProgram = {
  name: "csi-sidecars",
  version: "v1.2.3",
  form: "all-in-one",
  components: [mover, maker, prober],
};

export function individual(only: Component): SidecarProgram {
  return { name: only.standalone, version: "v1.2.3", form: "individual", components: [only] };
}
