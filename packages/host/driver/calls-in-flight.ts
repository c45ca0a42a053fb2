import type { Clock } from "@csi-sidecars/base";
import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import type { DriverCallOptions, Interceptor } from "@csi-sidecars/csi";

/**
 * Counts the calls that the driver has not answered, by method, whenever the metrics are read: the histogram of calls has only those
 * that have ended, and one that hangs does not end.
 */
export function callsInFlight(registry: Registry, clock: Clock): Interceptor<DriverCallOptions> {
  const begun = new Map<string, Set<{ readonly at: number }>>();
  const gauge = (name: string, help: string, read: (calls: ReadonlySet<{ readonly at: number }>) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ["method_name"] as const, registers: [registry] },
      collect() {
        for (const [method_name, calls] of begun) this.set({ method_name }, read(calls));
      },
    });
  gauge("csi_sidecars_driver_calls_in_flight", "[ALPHA] Calls that the driver has not answered yet", ({ size }) => size);
  gauge("csi_sidecars_driver_longest_call_seconds", "[ALPHA] How long the driver has not answered the oldest of these calls", (calls) => {
    const [oldest] = calls;
    return oldest ? (clock.monotonic() - oldest.at) / 1_000 : 0;
  });
  return (next) => async (call, options) => {
    const calls = begun.get(call.path) ?? new Set();
    begun.set(call.path, calls);
    const own = { at: clock.monotonic() };
    calls.add(own);
    try {
      return await next(call, options);
    } finally {
      calls.delete(own);
    }
  };
}
