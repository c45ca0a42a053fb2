import type { Component, ConditionReport, OperationReport, VolumeCondition, VolumeOperation } from "@csi-sidecars/host";
import { sharedLeaseName } from "@csi-sidecars/host/sub-commands";
import { sanitizeName } from "@csi-sidecars/kube";

/** What is known of a sidecar: what its component declares. */
export type Sidecar = Pick<Component, "name" | "legacyLease" | "operations" | "conditions" | "remedies">;

/** A sidecar that is responsible for an operation, and what it says about that. */
interface Responsible {
  readonly sidecar: Sidecar;
  readonly report: OperationReport;
}

/** Finds the sidecar that is responsible for an operation. */
export type ResponsibleFor = (operation: VolumeOperation) => Responsible | undefined;

export function responsibleAmong(components: readonly Sidecar[]): ResponsibleFor {
  return (operation) => {
    const sidecar = components.find(({ operations }) => operations?.[operation] !== undefined);
    const report = sidecar?.operations?.[operation];
    return sidecar && report && { sidecar, report };
  };
}

/** Finds what the sidecar that watches a condition says about it. */
export type ReportOn = (condition: VolumeCondition) => ConditionReport | undefined;

export function reportsAmong(components: readonly Pick<Sidecar, "conditions">[]): ReportOn {
  return (condition) => components.find(({ conditions }) => conditions?.[condition] !== undefined)?.conditions?.[condition];
}

/** The program that runs several components with one lease. */
const allInOne = "csi-sidecars";

/**
 * The leases under which a sidecar of the driver may lead: the one that all components share, and the one of its individual
 * program. `chosen` is given in place of the first (`--leader-election-lease-name`).
 */
export function leaseNames({ legacyLease }: Pick<Sidecar, "legacyLease">, driver: string, chosen?: string): readonly string[] {
  const shared = chosen ?? sharedLeaseName(allInOne, driver);
  return legacyLease ? [shared, sanitizeName(legacyLease(driver))] : [shared];
}
