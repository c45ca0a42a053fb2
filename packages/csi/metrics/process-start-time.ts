import type { Clock } from "@csi-sidecars/base";
import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";

/** Registers `process_start_time_seconds`, once for a process whatever it is made of. */
export function processStartTime(registry: Registry, clock: Clock): void {
  new Gauge({
    name: "process_start_time_seconds",
    help: "[ALPHA] Start time of the process since unix epoch in seconds.",
    registers: [registry],
  }).set(clock.now() / 1_000 - process.uptime());
}
