import { aboveZero, bool, type ComponentContext, duration, type FlagTable, int, kubeApiFlags, retryFlags } from "@csi-sidecars/host";

/** The flags that upstream's snapshot-controller has of its own, with its defaults. */
export const snapshotControllerFlags = {
  "worker-threads": int(10, "How many objects of each kind are worked on at the same time.", {
    follows: "worker-threads",
    check: aboveZero,
  }),
  ...retryFlags,
  "resync-period": duration("15m", "Period after which all objects with pending work are enqueued again.", { follows: "resync" }),
  "enable-distributed-snapshotting": bool(
    false,
    "Label contents with the node that the volume is accessible from, for drivers whose snapshotter runs on every node; needs to read nodes.",
  ),
  "prevent-volume-mode-conversion": bool(
    true,
    "Note the volume mode of the source in contents, so that no other one is restored from them.",
  ),
  "retry-crd-interval-max": duration(
    "30s",
    "Accepted for compatibility: the controller waits for CustomResourceDefinitions as long as it takes.",
  ),
  ...kubeApiFlags,
} satisfies FlagTable;

export type SnapshotControllerComponentContext = ComponentContext<typeof snapshotControllerFlags>;
