import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";

const name = "csi_sidecars_legacy_lease_held";

/** Whether a legacy sidecar renews its lease, for each lease that was looked at. One for the process, however often it leads. */
export function legacyLeaseGauge(registry: Registry): (lease: string, held: boolean) => void {
  const known = registry.getSingleMetric(name);
  const gauge =
    known instanceof Gauge
      ? known
      : new Gauge({
          name,
          help: "Whether the leader election lease of a legacy sidecar is held by a sidecar that still runs.",
          labelNames: ["lease"],
          registers: [registry],
        });
  return (lease, held) => gauge.set({ lease }, held ? 1 : 0);
}
