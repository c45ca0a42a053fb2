import type { PlaygroundStatus } from "../status.ts";

export const minute = 60_000;
export const noon = Date.UTC(2026, 0, 1, 12);

/** Nothing there, both processes running. */
export const emptyStatus: PlaygroundStatus = {
  at: noon,
  claims: [],
  volumes: [],
  attachments: [],
  pods: [],
  faults: [],
  snapshots: [],
  groupSnapshots: [],
  events: [],
  sidecar: { pid: 10, restarts: 0, memory: 42_000_000, requestsPerSecond: 0.2 },
  driver: { name: "hostpath.csi.k8s.io", process: { pid: 20, restarts: 0 }, answers: true, volumes: 0 },
};

/** One volume in use. */
export const usedStatus: PlaygroundStatus = {
  ...emptyStatus,
  claims: [{ name: "default/data", phase: "Bound", size: "1Gi", growth: "", attributes: "", volume: "pvc-1", since: noon - 3 * minute }],
  volumes: [{ name: "pvc-1", phase: "Bound", size: "1Gi", claim: "default/data", topology: "", abnormal: "", since: noon - 3 * minute }],
  attachments: [{ name: "csi-1", phase: "Attached", volume: "pvc-1", node: "node-1", zone: "", since: noon - minute }],
  events: [
    {
      key: "e 1",
      at: noon - 2 * minute,
      warning: false,
      reason: "ProvisioningSucceeded",
      about: "PersistentVolumeClaim/data",
      message: "Successfully provisioned\nvolume pvc-1",
      count: 1,
    },
  ],
  driver: { ...emptyStatus.driver, volumes: 1 },
};

/** The same volume while it grows and changes its class. */
export const growingStatus: PlaygroundStatus = {
  ...usedStatus,
  claims: usedStatus.claims.map((claim) => ({ ...claim, growth: "2Gi, growing", attributes: "silver to gold, in progress" })),
};

/** The same volume while the driver reports that something is wrong with it. */
export const abnormalStatus: PlaygroundStatus = {
  ...usedStatus,
  volumes: usedStatus.volumes.map((volume) => ({ ...volume, abnormal: "the disk\nis failing" })),
};

/** The same volume with a snapshot of its own, and one that a group takes of it. */
export const snapshotStatus: PlaygroundStatus = {
  ...usedStatus,
  snapshots: [
    { name: "default/before", phase: "Ready", size: "1Gi", source: "data", group: "", since: noon - minute },
    { name: "default/snapshot-1", phase: "Creating", size: "", source: "data", group: "both", since: noon },
  ],
  groupSnapshots: [{ name: "default/both", phase: "Creating", claims: "data", since: noon }],
  snapshotController: { pid: 30, restarts: 0 },
};

/** The same volume in a cluster with zones, from the user's own driver. */
export const zonedStatus: PlaygroundStatus = {
  ...usedStatus,
  volumes: usedStatus.volumes.map((volume) => ({ ...volume, topology: "zone-2" })),
  attachments: usedStatus.attachments.map((attachment) => ({ ...attachment, zone: "zone-2" })),
  driver: { name: "own.example.com", answers: true },
};
