import {
  aboveZero,
  bool,
  type ComponentContext,
  duration,
  type FlagTable,
  int,
  kubeApiFlags,
  notBelowZero,
  uint,
} from "@csi-sidecars/host";

const noEffect = { deprecated: "it has no effect" };

/** The flags that upstream's health monitor has of its own, with its defaults, and those that it lacks. */
export const healthMonitorFlags = {
  timeout: duration("15s", "Time limit of each call to the CSI driver; of each page when volumes are listed.", {
    follows: "timeout",
    check: aboveZero,
  }),
  "worker-threads": uint(10, "How many volumes are checked at the same time, with a driver that does not list volumes.", {
    follows: "worker-threads",
    check: aboveZero,
  }),
  "monitor-interval": duration("1m", "How often each volume is checked, with a driver that does not list volumes.", {
    check: aboveZero,
  }),
  "list-volumes-interval": duration("5m", "Pause between two lists of the driver's volumes.", { check: aboveZero }),
  "max-entries": int(0, "How many volumes the driver may list in one answer; 0 for no limit.", { check: notBelowZero, individual: false }),
  "report-missing-volumes": bool(false, "Warn about volumes in use that the driver left out of two complete lists in a row.", {
    individual: false,
  }),
  "enable-node-watcher": bool(false, "Watch nodes and pods, and report volumes whose pods are on a node that failed."),
  "node-not-ready-duration": duration("5m", "How long a node may be not ready before it counts as failed.", {
    check: aboveZero,
    individual: false,
  }),
  "volume-list-add-interval": duration("5m", "Nothing: a volume that becomes bound is checked within the interval.", noEffect),
  "node-list-add-interval": duration("5m", "Nothing: a node counts as failed as soon as its time is over.", noEffect),
  resync: duration("10m", "Has no effect: nothing is missed that a resync could find.", { follows: "resync" }),
  ...kubeApiFlags,
} satisfies FlagTable;

export type HealthMonitorComponentContext = ComponentContext<typeof healthMonitorFlags>;
