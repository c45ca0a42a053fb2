import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";

/** The state and the failures of the components, for Prometheus. */
export interface ComponentMetrics {
  enabled(component: string, on: boolean): void;
  running(component: string, on: boolean): void;
  /** Whether it failed and does not run again yet. */
  failed(component: string, on: boolean): void;
  error(component: string): void;
  restart(component: string): void;
  /** An unhandled error that cannot be attributed. */
  unattributed(): void;
}

/** Registers the `csi_sidecars_controller_*` families; every component shows up from the start. */
export function componentMetrics(registry: Registry, components: readonly string[]): ComponentMetrics {
  const shared = { labelNames: ["controller"] as const, registers: [registry] };
  const enabled = new Gauge({
    name: "csi_sidecars_controller_enabled",
    help: "[ALPHA] Whether the driver supports the controller",
    ...shared,
  });
  const running = new Gauge({ name: "csi_sidecars_controller_running", help: "[ALPHA] Whether the controller runs", ...shared });
  const failed = new Gauge({
    name: "csi_sidecars_controller_failed",
    help: "[ALPHA] Whether the controller failed and does not run again yet",
    ...shared,
  });
  const errors = new Counter({ name: "csi_sidecars_controller_errors_total", help: "[ALPHA] Errors caught in the controller", ...shared });
  const restarts = new Counter({ name: "csi_sidecars_controller_restarts_total", help: "[ALPHA] Restarts after a failure", ...shared });
  const unattributed = new Counter({
    name: "csi_sidecars_unattributed_errors_total",
    help: "[ALPHA] Unhandled errors that cannot be attributed to a controller",
    registers: [registry],
  });
  for (const controller of components) {
    enabled.set({ controller }, 1);
    running.set({ controller }, 0);
    failed.set({ controller }, 0);
    errors.inc({ controller }, 0);
    restarts.inc({ controller }, 0);
  }
  return {
    enabled: (controller, on) => enabled.set({ controller }, on ? 1 : 0),
    running: (controller, on) => running.set({ controller }, on ? 1 : 0),
    failed: (controller, on) => failed.set({ controller }, on ? 1 : 0),
    error: (controller) => errors.inc({ controller }),
    restart: (controller) => restarts.inc({ controller }),
    unattributed: () => unattributed.inc(),
  };
}
