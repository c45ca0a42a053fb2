import {
  aboveZero,
  bool,
  type ComponentContext,
  duration,
  type FlagTable,
  int,
  kubeApiFlags,
  retryFlags,
  text,
  uint,
} from "@csi-sidecars/host";

/** The flags that upstream's attacher has of its own, with its defaults. */
export const attacherFlags = {
  timeout: duration("15s", "Time limit of each call to the CSI driver; of each page when volumes are listed.", {
    follows: "timeout",
    check: aboveZero,
  }),
  "worker-threads": uint(10, "How many volumes are attached, and how many are detached, at the same time.", {
    follows: "worker-threads",
    check: aboveZero,
  }),
  ...retryFlags,
  resync: duration("10m", "Period after which all attachments with pending work are enqueued again.", { follows: "resync" }),
  "reconcile-sync": duration("1m", "Pause between two comparisons of the attachments with the volumes that the driver lists."),
  "max-entries": int(0, "How many volumes the driver may list in one answer; 0 for no limit."),
  "detach-dangling-volumes": bool(
    false,
    "Detach volumes with the attacher's finalizer that the driver lists, twice in a row, as published to a node for which they have no VolumeAttachment.",
    { individual: false },
  ),
  "default-fstype": text("", "File system type of volumes that name none."),
  ...kubeApiFlags,
} satisfies FlagTable;

export type AttacherComponentContext = ComponentContext<typeof attacherFlags>;
