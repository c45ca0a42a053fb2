import { type Clock, ownValue } from "@csi-sidecars/base";
import { Gauge, Histogram, type Registry } from "@csi-sidecars/base/prometheus";

export interface OperationMetricsOptions {
  readonly registry: Registry;
  /** First part of the metric's name: `csi_sidecar` for sidecars, `csi_plugin` for drivers. */
  readonly subsystem?: string;
  readonly stability?: "INTERNAL" | "ALPHA" | "BETA" | "STABLE";
  /** Labels with the same value in every line. */
  readonly fixedLabels?: Readonly<Record<string, string>>;
  /** Labels whose values callers give with {@link OperationMetrics.withLabels}; empty where they do not. */
  readonly varyingLabels?: readonly string[];
}

/** One finished call. */
export interface OperationRecord {
  /** `/csi.v1.Controller/CreateVolume` */
  readonly method: string;
  /** `OK`, another code's name, or `unknown-non-grpc`. */
  readonly status: string;
  readonly seconds: number;
  /** Whether the call serves a volume of the in-tree plugin that this driver replaced. */
  readonly migrated?: boolean | undefined;
}

/** How long calls to the driver take, by method and result. */
export interface OperationMetrics {
  /**
   * Names the driver in all lines from now on; before, they say `unknown-driver`. `migratable` drivers, which replace an
   * in-tree plugin, get the label `migrated`; what was recorded before is dropped then, as a series cannot change its labels.
   */
  setDriver(name: string, options?: { readonly migratable?: boolean }): void;
  record(operation: OperationRecord): void;
  /** The same metric with more of the varying labels set. */
  withLabels(values: Readonly<Record<string, string>>): OperationMetrics;
}

const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];
const ownLabels = ["driver_name", "grpc_status_code", "method_name"];

/** Registers the histogram of CSI calls. */
export function operationMetrics(options: OperationMetricsOptions): OperationMetrics {
  const { registry, subsystem = "csi_sidecar", stability = "ALPHA", fixedLabels = {}, varyingLabels = [] } = options;
  const name = `${subsystem}_operations_seconds`;
  const register = (labelNames: readonly string[]) =>
    new Histogram({
      name,
      help: `[${stability}] Container Storage Interface operation duration with gRPC error code status total`,
      labelNames: [...labelNames, ...Object.keys(fixedLabels), ...varyingLabels],
      buckets,
      registers: [registry],
    });
  const noValues = Object.fromEntries(varyingLabels.map((label) => [label, ""]));
  let histogram = register(ownLabels);
  let driver = "unknown-driver";
  let migratable = false;

  const branch = (values: Readonly<Record<string, string>>): OperationMetrics => ({
    setDriver(driverName, { migratable: wanted = false } = {}) {
      driver = driverName;
      if (wanted === migratable) return;
      migratable = wanted;
      registry.removeSingleMetric(name);
      histogram = register(migratable ? [...ownLabels, "migrated"] : ownLabels);
    },
    record({ method, status, seconds, migrated = false }) {
      const labels = { driver_name: driver, grpc_status_code: status, method_name: method, ...fixedLabels, ...noValues, ...values };
      histogram.observe(migratable ? { ...labels, migrated: String(migrated) } : labels, seconds);
    },
    withLabels(more) {
      for (const label of Object.keys(more)) {
        if (!varyingLabels.includes(label)) throw new Error(`label ${JSON.stringify(label)} was not defined via WithLabelNames`);
        const before = ownValue(values, label);
        if (before !== undefined) throw new Error(`label ${JSON.stringify(label)} already has value ${JSON.stringify(before)}`);
      }
      return branch({ ...values, ...more });
    },
  });
  return branch({});
}

/** Registers `process_start_time_seconds`, once for a process whatever it is made of. */
export function processStartTime(registry: Registry, clock: Clock): void {
  new Gauge({
    name: "process_start_time_seconds",
    help: "[ALPHA] Start time of the process since unix epoch in seconds.",
    registers: [registry],
  }).set(clock.now() / 1_000 - process.uptime());
}
