import type { V1Lease } from "@csi-sidecars/kube";
import type { LegacyLease } from "./leadership.ts";

/** Says on the consolidated lease that legacy sidecars were out of the way once. */
export const statusAnnotation = "migration.csi.k8s.io/status";
/** The components for which that was found out; all of them when it is absent. */
export const migratedAnnotation = "migration.csi.k8s.io/controllers";

const completed = "completed";

/** The legacy leases that nobody has found out of the way yet: all at first, later those of components that were added. */
export function unmigrated(lease: V1Lease, leases: readonly LegacyLease[]): readonly LegacyLease[] {
  const done = migratedIn(lease);
  return done === "all" ? [] : leases.filter(({ controller }) => !done.has(controller));
}

/** What the consolidated lease is to say after the leases of these components were seized. */
export function migrationMarker(lease: V1Lease, controllers: readonly string[]): Readonly<Record<string, string>> {
  const done = migratedIn(lease);
  const union = new Set([...(done === "all" ? [] : done), ...controllers]);
  return { [statusAnnotation]: completed, [migratedAnnotation]: [...union].sort().join(",") };
}

function migratedIn(lease: V1Lease): ReadonlySet<string> | "all" {
  const annotations = lease.metadata?.annotations ?? {};
  if (annotations[statusAnnotation] !== completed) return new Set();
  const list = annotations[migratedAnnotation];
  if (!list) return "all";
  return new Set(
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
}
