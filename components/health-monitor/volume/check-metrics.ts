import type { Clock } from "@csi-sidecars/base";
import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import { refOf } from "@csi-sidecars/kube";
import type { ClaimConditions } from "./claim-conditions.ts";

/** A pass over all volumes: one list of them, or one check of each. */
export interface Pass {
  /** For so long it was waited for a driver that was away, which does not count. */
  paused(ms: number): void;
  succeeded(): void;
  failed(): void;
}

export interface CheckMetrics {
  beginPass(): Pass;
  /** The driver did not answer about a volume. */
  checkFailed(): void;
}

interface CheckMetricsOptions {
  readonly registry: Registry;
  readonly driver: string;
  readonly conditions: ClaimConditions;
  readonly clock: Pick<Clock, "now" | "monotonic">;
}

/** Claims that have a time series of their own: those that are abnormal the longest. A storage system that fails must not fill Prometheus. */
const maxClaimSeries = 100;

/** What operators can alert on. Upstream has the metrics of its calls only. */
export function checkMetrics({ registry, driver, conditions, clock }: CheckMetricsOptions): CheckMetrics {
  const registers = [registry];
  const labels = { driver_name: driver };
  const labelNames = Object.keys(labels);
  new Gauge({
    name: "csi_sidecars_health_monitor_abnormal_volumes",
    help: "[ALPHA] Volumes in use that are abnormal by their last check",
    ...{ labelNames, registers },
    collect() {
      this.set(labels, conditions.abnormalClaims.size);
    },
  });
  new Gauge({
    name: "csi_sidecars_health_monitor_claim_abnormal",
    help: `[ALPHA] 1 for a claim whose volume is abnormal by its last check; for the first ${maxClaimSeries} of them only`,
    ...{ labelNames: [...labelNames, "namespace", "persistentvolumeclaim"], registers },
    collect() {
      this.reset();
      for (const key of Iterator.from(conditions.abnormalClaims.keys()).take(maxClaimSeries)) {
        const { namespace = "", name } = refOf(key);
        this.set({ ...labels, namespace, persistentvolumeclaim: name }, 1);
      }
    },
  });
  const duration = new Gauge({
    name: "csi_sidecars_health_monitor_last_pass_duration_seconds",
    help: "[ALPHA] How long the last list of all volumes took, or the last check of each of them",
    ...{ labelNames, registers },
  });
  const succeededAt = new Gauge({
    name: "csi_sidecars_health_monitor_last_successful_pass_timestamp_seconds",
    help: "[ALPHA] When the driver last answered about its volumes, in seconds since the epoch",
    ...{ labelNames, registers },
  });
  const failures = new Counter({
    name: "csi_sidecars_health_monitor_failed_checks_total",
    help: "[ALPHA] Lists of volumes, or checks of single ones, that failed",
    ...{ labelNames, registers },
  });
  failures.inc(labels, 0);
  return {
    beginPass() {
      let began = clock.monotonic();
      const ended = () => duration.set(labels, (clock.monotonic() - began) / 1000);
      return {
        paused(ms) {
          began += ms;
        },
        succeeded() {
          ended();
          succeededAt.set(labels, clock.now() / 1000);
        },
        failed: ended,
      };
    },
    checkFailed: () => failures.inc(labels),
  };
}
