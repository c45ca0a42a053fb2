import type { Clock } from "@csi-sidecars/base";
import { Gauge, Histogram, type Registry } from "@csi-sidecars/base/prometheus";

/** The objects whose operations are measured. */
export type MeasuredKind = "Snapshot" | "GroupSnapshot";

/** From the first look at an object: until the driver has taken it, until it can be used, and until it is gone. */
export type Operation = `Create${MeasuredKind}` | `Create${MeasuredKind}AndReady` | `Delete${MeasuredKind}`;

/** What is known of an object when its operation begins. */
export interface OperationLabels {
  /** `undefined` while it is not known. */
  readonly driver: string | undefined;
  readonly type: "dynamic" | "pre-provisioned";
}

interface OpenOperation {
  readonly started: number;
  readonly labels: OperationLabels;
}

const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600];
const labelNames = ["driver_name", "operation_name", "operation_status", "snapshot_type"] as const;

/** How long operations took, and how many are open, under the names of upstream's controller. A process knows only what it saw begin. */
export class OperationMetrics {
  readonly #clock: Clock;
  readonly #seconds: Histogram<(typeof labelNames)[number]>;
  readonly #open = new Map<string, OpenOperation>();

  constructor(registry: Registry, clock: Clock) {
    this.#clock = clock;
    this.#seconds = new Histogram({
      name: "snapshot_controller_operation_total_seconds",
      help: "[ALPHA] Total number of seconds spent by the controller on an operation",
      labelNames,
      buckets,
      registers: [registry],
    });
    const open = this.#open;
    new Gauge({
      name: "snapshot_controller_operations_in_flight",
      help: "[ALPHA] Total number of operations in flight",
      registers: [registry],
      collect() {
        this.set(open.size);
      },
    });
  }

  /** Begins an operation of the object with this uid, unless it has begun. */
  start(operation: Operation, uid: string, labels: OperationLabels): void {
    const key = keyOf(operation, uid);
    if (!this.#open.has(key)) this.#open.set(key, { started: this.#clock.monotonic(), labels });
  }

  /** Ends an operation; nothing happens unless it has begun. */
  succeed(operation: Operation, uid: string, driver?: string): void {
    const key = keyOf(operation, uid);
    const open = this.#open.get(key);
    if (!open) return;
    this.#open.delete(key);
    this.#observe(operation, "success", this.#elapsed(open), { ...open.labels, driver: driver ?? open.labels.driver });
  }

  /** The object is gone: its deletion has succeeded, and what was open of its creation is canceled. */
  gone(kind: MeasuredKind, uid: string): void {
    const deletion = this.#open.get(keyOf(`Delete${kind}`, uid));
    const seconds = deletion && this.#elapsed(deletion);
    this.succeed(`Delete${kind}`, uid);
    for (const operation of [`Create${kind}`, `Create${kind}AndReady`] as const) {
      const open = this.#open.get(keyOf(operation, uid));
      this.#open.delete(keyOf(operation, uid));
      if (open && seconds !== undefined) this.#observe(operation, "cancel", seconds, open.labels);
    }
  }

  #elapsed({ started }: OpenOperation): number {
    return (this.#clock.monotonic() - started) / 1000;
  }

  #observe(operation: Operation, status: "success" | "cancel", seconds: number, { driver, type }: OperationLabels): void {
    const labels = { driver_name: driver ?? "unknown", operation_name: operation, operation_status: status, snapshot_type: type };
    this.#seconds.observe(labels, seconds);
  }
}

const keyOf = (operation: Operation, uid: string) => `${operation}/${uid}`;
