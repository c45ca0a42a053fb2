import { uuidLengthProblem } from "@csi-sidecars/controller";
import { aboveZero, bool, type ComponentContext, duration, type FlagTable, int, kubeApiFlags, retryFlags, text } from "@csi-sidecars/host";

/** The flags that upstream's snapshotter has of its own, with its defaults. */
export const snapshotterFlags = {
  timeout: duration("1m", "Time limit of each operation of the CSI driver.", { follows: "timeout", check: aboveZero }),
  "worker-threads": int(10, "How many snapshots, and how many group snapshots, are worked on at the same time.", {
    follows: "worker-threads",
    check: aboveZero,
  }),
  ...retryFlags,
  "resync-period": duration("15m", "Period after which all contents with pending work are enqueued again.", { follows: "resync" }),
  "snapshot-name-prefix": text("snapshot", "Prefix of the names of snapshots."),
  "snapshot-name-uuid-length": int(
    -1,
    "How much of the VolumeSnapshot's uid, without dashes, is in the name of the snapshot; -1 for all of it.",
    { check: uuidLengthProblem },
  ),
  "groupsnapshot-name-prefix": text("groupsnapshot", "Prefix of the names of group snapshots."),
  "groupsnapshot-name-uuid-length": int(
    -1,
    "How much of the VolumeGroupSnapshot's uid, without dashes, is in the name of the group snapshot; -1 for all of it.",
    { check: uuidLengthProblem },
  ),
  "extra-create-metadata": bool(false, "Pass names and namespaces of Kubernetes objects to the driver in create requests.", {
    follows: "extra-create-metadata",
  }),
  "node-deployment": bool(
    false,
    "Run on every node, each instance for the contents of its node; needs the environment variable NODE_NAME.",
    { follows: "node-deployment" },
  ),
  ...kubeApiFlags,
} satisfies FlagTable;

export type SnapshotterComponentContext = ComponentContext<typeof snapshotterFlags>;
