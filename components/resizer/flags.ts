import { aboveZero, bool, type ComponentContext, duration, type FlagTable, int, kubeApiFlags, retryFlags } from "@csi-sidecars/host";

/** The flags that upstream's resizer has of its own, with its defaults. */
export const resizerFlags = {
  timeout: duration("10s", "Time limit of each call to the CSI driver.", { follows: "timeout", check: aboveZero }),
  workers: int(10, "How many volumes are expanded, and how many are modified, at the same time.", {
    follows: "worker-threads",
    check: aboveZero,
  }),
  ...retryFlags,
  "resync-period": duration("10m", "Period after which all claims with pending work are enqueued again.", { follows: "resync" }),
  "extra-modify-metadata": bool(
    false,
    "Pass the names of the claim and the PersistentVolume, and the namespace, to the driver when a volume is modified.",
  ),
  "handle-volume-inuse-error": bool(
    true,
    "After the driver refused to expand a volume that is in use, watch pods and retry when none uses the volume any more.",
  ),
  ...kubeApiFlags,
} satisfies FlagTable;

export type ResizerComponentContext = ComponentContext<typeof resizerFlags>;
