import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";

export interface ElectionMetrics {
  leading(lease: string, leads: boolean): void;
  /** A renewal that first had to read the Lease. */
  slowPath(lease: string): void;
}

/** Registers the `leader_election_*` metrics; the label is the name of the Lease. */
export function electionMetrics(registry: Registry): ElectionMetrics {
  const registers = [registry];
  const labelNames = ["name"] as const;
  const meaning = "'name' is the string used to identify the lease. Please make sure to group by name.";
  const status = new Gauge({
    name: "leader_election_master_status",
    help: `[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. ${meaning}`,
    labelNames,
    registers,
  });
  const slow = new Counter({
    name: "leader_election_slowpath_total",
    help: `[ALPHA] Total number of slow path exercised in renewing leader leases. ${meaning}`,
    labelNames,
    registers,
  });
  return {
    leading: (name, leads) => status.set({ name }, leads ? 1 : 0),
    slowPath: (name) => slow.inc({ name }),
  };
}
