import type { Class } from "./fields.ts";
import { annotation } from "./names.ts";

interface Classed {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly storageClassName?: string };
}

/** The class of a claim or volume: the old annotation goes before the field; empty for none. */
export function storageClassOf(object: Classed): string {
  return object.metadata.annotations?.[annotation.betaStorageClass] ?? object.spec?.storageClassName ?? "";
}

/** Whether a claim says anything about its class, be it that it wants none. */
export function saysClass(claim: Classed): boolean {
  return claim.metadata.annotations?.[annotation.betaStorageClass] !== undefined || claim.spec?.storageClassName !== undefined;
}

export const bindsLate = (storageClass: Class | undefined): boolean => storageClass?.volumeBindingMode === "WaitForFirstConsumer";

/** The class that claims without one get: of several, the newest, and of those made in the same second the first by name. */
export function defaultClass(classes: readonly Class[]): Class | undefined {
  return classes
    .filter(({ metadata: { annotations } }) =>
      [annotations?.[annotation.isDefaultClass], annotations?.[annotation.isDefaultClassBeta]].includes("true"),
    )
    .sort((a, b) => created(b) - created(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

const created = (storageClass: Class): number => Date.parse(storageClass.metadata.creationTimestamp ?? "") || 0;
