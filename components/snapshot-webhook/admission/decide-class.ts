/** What counts of a VolumeSnapshotClass or a VolumeGroupSnapshotClass. */
export interface ClassFacts {
  readonly name: string;
  readonly driver: string;
  readonly isDefault: boolean;
}

/** How messages call the kind. */
export type ClassNoun = "snapshot class" | "group snapshot class";

/**
 * Why a class may not be stored; `undefined` when it may. A driver has one default class: with two, snapshots that name none fail. A
 * class that was the default of its driver before stays it, so that a cluster that has two already can still be repaired.
 */
export function refusal(
  noun: ClassNoun,
  after: ClassFacts,
  before: ClassFacts | undefined,
  stored: readonly ClassFacts[],
): string | undefined {
  if (!after.isDefault) return undefined;
  if (before?.isDefault && before.driver === after.driver) return undefined;
  const [rival] = stored.filter(({ isDefault, driver }) => isDefault && driver === after.driver).sort(byName);
  return rival && `default ${noun}: ${rival.name} already exists for driver: ${after.driver}`;
}

function byName(a: ClassFacts, b: ClassFacts): number {
  return a.name < b.name ? -1 : 1;
}
