import { Counter, Gauge, Histogram, type Registry } from "@csi-sidecars/base/prometheus";
import type { Claim, Volume } from "./fields.ts";
import type { ProvisionerState } from "./provisioner-state.ts";

/** The metrics of upstream's provisioner, and our own. */
export interface ProvisionerMetrics {
  provisioned(claim: Claim, seconds: number): void;
  provisionFailed(claim: Claim): void;
  deleted(volume: Volume, seconds: number): void;
  deleteFailed(volume: Volume): void;
  limit(queue: "claims" | "volumes", limit: number): void;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What of the state is counted. */
interface Counted {
  sizes(): Pick<ReturnType<ProvisionerState["sizes"]>, "inProgress" | "unsaved">;
}

export function provisionerMetrics(registry: Registry, state: Counted): ProvisionerMetrics {
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: readonly string[]) => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: readonly string[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const claimName = "controller_persistentvolumeclaim_provision";
  const total = counter(`${claimName}_total`, "Total number of persistent volumes provisioned succesfully.", ["class", "source"]);
  const failed = counter(`${claimName}_failed_total`, "Total number of persistent volume provision failed attempts.", ["class", "source"]);
  const took = histogram(`${claimName}_duration_seconds`, "Latency in seconds to provision persistent volumes.", ["class", "source"]);
  const volumeName = "controller_persistentvolume_delete";
  const deletedTotal = counter(`${volumeName}_total`, "Total number of persistent volumes deleted succesfully.", ["class"]);
  const deleteFailed = counter(`${volumeName}_failed_total`, "Total number of persistent volume delete failed attempts.", ["class"]);
  const deleteTook = histogram(`${volumeName}_duration_seconds`, "Latency in seconds to delete persistent volumes.", ["class"]);
  const limits = new Gauge({
    name: "csi_sidecars_provisioner_concurrency_limit",
    help: "[ALPHA] How many items of the queue are worked on at the same time, depending on the driver's load",
    labelNames: ["queue"],
    registers,
  });
  const live = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read());
      },
    });
  live(
    "csi_sidecars_provisioner_claims_in_progress",
    "[ALPHA] Claims whose CreateVolume call has an uncertain outcome",
    () => state.sizes().inProgress,
  );
  live(
    "csi_sidecars_provisioner_unsaved_volumes",
    "[ALPHA] Volumes that exist at the driver, but could not be saved as PersistentVolumes yet",
    () => state.sizes().unsaved,
  );
  return {
    provisioned(claim, seconds) {
      total.inc(claimLabels(claim));
      took.observe(claimLabels(claim), seconds);
    },
    provisionFailed: (claim) => failed.inc(claimLabels(claim)),
    deleted(volume, seconds) {
      deletedTotal.inc(volumeLabels(volume));
      deleteTook.observe(volumeLabels(volume), seconds);
    },
    deleteFailed: (volume) => deleteFailed.inc(volumeLabels(volume)),
    limit: (queue, limit) => limits.set({ queue }, limit),
  };
}

function claimLabels({ spec }: Claim) {
  return { class: spec?.storageClassName ?? "", source: spec?.dataSource?.kind ?? "" };
}

function volumeLabels({ spec }: Volume) {
  return { class: spec?.storageClassName ?? "" };
}
