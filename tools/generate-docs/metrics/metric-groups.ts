import { systemClock } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import { operationMetrics } from "@csi-sidecars/csi";
import { clientMetrics, electionMetrics, eventMetrics, workQueueMetrics } from "@csi-sidecars/kube";
import { callsInFlight } from "../../../packages/host/driver/calls-in-flight.ts";
import { legacyLeaseGauge } from "../../../packages/host/leadership/legacy-lease-watch.ts";
import { processMetrics } from "../../../packages/host/manager/process-metrics.ts";
import { componentMetrics } from "../../../packages/host/supervisor/component-metrics.ts";
import { eventLoopLag } from "../../../packages/host/supervisor/event-loop-watchdog.ts";
import { componentGroups } from "./component-groups.ts";

/** Metrics that are defined together, and who has them. */
export interface MetricGroup {
  readonly title: string;
  /** Which process serves them, and when. */
  readonly served: string;
  define(registry: Registry): void;
}

/** What every program serves that is built on `packages/host`, where it has the part. */
const sharedGroups: readonly MetricGroup[] = [
  {
    title: "Calls to the driver",
    served:
      "Every process that is connected to a driver. `driver_name` is `unknown-driver` until the driver has said its name. For the drivers that replace a plugin of Kubernetes " +
      "(`ebs.csi.aws.com`, `pd.csi.storage.gke.io`, `disk.csi.azure.com`, ...) the histogram has a label `migrated` (`true` or `false`) more.",
    define(registry) {
      operationMetrics({ registry });
      callsInFlight(registry, systemClock);
    },
  },
  {
    title: "Work queues",
    served:
      "The leader, for each queue of the controllers that run; `name` is the queue. Attacher: `csi-attacher-va`, `csi-attacher-va-detach`, `csi-attacher-pv`. Provisioner: `claims`, `volumes`, " +
      "`unsavedpvs`, `csitopology`, `csistoragecapacity`. Resizer: `<driver>-pvc`. Snapshotter: `csi-snapshotter-content`, `csi-snapshotter-groupsnapshotcontent`. Health-monitor: " +
      "`csi-health-monitor-node`. Validator: `volume-data-source-validator`. Snapshot-controller: `snapshot-controller-snapshot`, `snapshot-controller-content`, `snapshot-controller-claim`, " +
      "`snapshot-controller-group-snapshot`, `snapshot-controller-group-content`.",
    define: (registry) => void workQueueMetrics(registry),
  },
  {
    title: "Leader election",
    served: "Every replica, with `--leader-election`; `name` is the lease.",
    define(registry) {
      electionMetrics(registry);
      legacyLeaseGauge(registry);
    },
  },
  {
    title: "Requests to the API server",
    served:
      "Every process that talks to the API server, by the names of client-go. `host` is the server's address; `client` is whose rate limit it was.",
    define: (registry) => void clientMetrics(registry),
  },
  {
    title: "Events",
    served: "Every process that writes events.",
    define: (registry) => void eventMetrics(registry),
  },
  {
    title: "Controllers",
    served: "Every process, for each of its controllers (`controller`).",
    define: (registry) => void componentMetrics(registry, []),
  },
  {
    title: "The process",
    served: "Every process; file descriptors and virtual memory on Linux only.",
    define(registry) {
      processMetrics(registry, systemClock);
      eventLoopLag(registry);
    },
  },
];

export const metricGroups: readonly MetricGroup[] = [...sharedGroups, ...componentGroups];
