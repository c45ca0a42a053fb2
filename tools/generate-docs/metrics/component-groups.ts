import { systemClock } from "@csi-sidecars/base";
import { nodeMetrics } from "../../../components/health-monitor/node/node-metrics.ts";
import { checkMetrics } from "../../../components/health-monitor/volume/check-metrics.ts";
import { ClaimConditions } from "../../../components/health-monitor/volume/claim-conditions.ts";
import { healthCheckMetrics } from "../../../components/livenessprobe/start.ts";
import { registrarMetrics } from "../../../components/node-driver-registrar/metrics.ts";
import { registerCapacityMetrics } from "../../../components/provisioner/capacity/capacity-metrics.ts";
import { provisionerMetrics } from "../../../components/provisioner/metrics.ts";
import { resizerMetrics } from "../../../components/resizer/metrics.ts";
import { OperationMetrics } from "../../../components/snapshot-controller/operation-metrics.ts";
import { requestMetrics } from "../../../components/snapshot-webhook/metrics.ts";
import { validatorMetrics } from "../../../components/volume-data-source-validator/metrics.ts";
import { callMetrics, powershellMetrics } from "../../../packages/csi-proxy/server/server-metrics.ts";
import type { MetricGroup } from "./metric-groups.ts";

/** What single controllers and programs serve. */
export const componentGroups: readonly MetricGroup[] = [
  {
    title: "provisioner",
    served: "The leader. `class` is the StorageClass, `source` the kind of the claim's data source.",
    define: (registry) => void provisionerMetrics(registry, { sizes: () => ({ inProgress: 0, unsaved: 0 }) }),
  },
  {
    title: "provisioner: storage capacity",
    served: "The leader, with `--enable-capacity`; with `--node-deployment` every instance.",
    define: (registry) => registerCapacityMetrics(registry, { desired: () => new Map(), published: () => false, objects: () => 0 }),
  },
  {
    title: "resizer",
    served: "The leader. `operation` is `resize` or `modify`; `state` is `pending`, `in_use`, `infeasible` or `uncertain`.",
    define: (registry) => resizerMetrics(registry, {}),
  },
  {
    title: "health-monitor",
    served:
      "The leader; `csi_sidecars_health_monitor_failed_nodes` with `--health-monitor-enable-node-watcher`. Where Prometheus gives the pods a label `namespace`, that of the claim becomes " +
      "`exported_namespace`, unless it scrapes with `honor_labels`.",
    define(registry) {
      checkMetrics({ registry, driver: "", conditions: new ClaimConditions(), clock: systemClock });
      nodeMetrics(registry, "", new Map());
    },
  },
  {
    title: "livenessprobe",
    served: "Every process that runs it, once somebody has asked for the health of the driver.",
    define: (registry) => healthCheckMetrics(registry)({ healthy: true }),
  },
  {
    title: "node-driver-registrar",
    served: "Every process that runs it: one on each node.",
    define: (registry) => void registrarMetrics(registry),
  },
  {
    title: "volume-data-source-validator",
    served: "The leader of its lease.",
    define: (registry) => void validatorMetrics(registry, { invalidClaims: 0 }),
  },
  {
    title: "The program snapshot-controller",
    served: "The leader.",
    define: (registry) => void new OperationMetrics(registry, systemClock),
  },
  {
    title: "The program snapshot-webhook",
    served: "Every replica.",
    define: (registry) => void requestMetrics(registry),
  },
  {
    title: "The program csi-proxy",
    served: "Every process, at `--metrics-bind-address`.",
    define(registry) {
      callMetrics(registry);
      powershellMetrics(registry);
    },
  },
];
