import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";

/** A control loop that counts the claims it is concerned with, by their state. */
interface Counted {
  counts(): Readonly<Record<string, number>>;
}

/** The metrics of our own: upstream's resizer has none beside those of its calls and queues. */
export function resizerMetrics(registry: Registry, loops: Readonly<Record<string, Counted | undefined>>): void {
  new Gauge({
    name: "csi_sidecars_resizer_claims",
    help: "[ALPHA] Claims whose volume is to be resized or modified, by what they wait for",
    labelNames: ["operation", "state"],
    registers: [registry],
    collect() {
      for (const [operation, loop] of Object.entries(loops)) {
        for (const [state, count] of Object.entries(loop?.counts() ?? {})) this.set({ operation, state }, count);
      }
    },
  });
}
