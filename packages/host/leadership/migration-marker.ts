import type { V1Lease } from "@csi-sidecars/kube";
import type { LegacyLease } from "./leadership.ts";

/** On the consolidated lease: the migration was completed. */
export const statusAnnotation = "migration.csi.k8s.io/status";
/** The components for which that was checked; all of them when it is absent. */
export const migratedAnnotation = "migration.csi.k8s.io/controllers";

const completed = "completed";
/** Every legacy sidecar that was migrated is back. */
const withdrawn = "withdrawn";

/** The legacy leases that were not migrated yet: all at first, later those of components that were added or rolled back. */
export function unmigrated(lease: V1Lease, leases: readonly LegacyLease[]): readonly LegacyLease[] {
  const done = migratedIn(lease);
  return done === "all" ? [] : leases.filter(({ controller }) => !done.has(controller));
}

/** The annotations of the consolidated lease after the leases of these components were seized. */
export function migrationMarker(lease: V1Lease, controllers: readonly string[]): Readonly<Record<string, string>> {
  const done = migratedIn(lease);
  const union = new Set([...(done === "all" ? [] : done), ...controllers]);
  return { [statusAnnotation]: completed, [migratedAnnotation]: [...union].sort().join(",") };
}

/**
 * The annotations after the legacy sidecars of some components came back; `undefined` when none of them was marked. `known`: the
 * components of this process, for a marker that does not list them.
 */
export function withdrawnMarker(
  lease: V1Lease,
  known: readonly string[],
  back: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const done = migratedIn(lease);
  const marked = done === "all" ? known : [...done];
  const left = marked.filter((controller) => !back.includes(controller));
  if (left.length === marked.length) return undefined;
  return { [statusAnnotation]: left.length > 0 ? completed : withdrawn, [migratedAnnotation]: left.toSorted().join(",") };
}

/** The components that the marker of a lease names, `all` where it names none; `none` where the migration was not completed. */
export function migratedControllers(lease: V1Lease): ReadonlySet<string> | "all" | "none" {
  const done = migratedIn(lease);
  return done === "all" || done.size > 0 ? done : "none";
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
