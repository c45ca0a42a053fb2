import { wellKnownAnnotation as annotation } from "./well-known.ts";

/** A claim or a volume, as far as its class is concerned. */
interface Classed {
  readonly metadata?: { readonly annotations?: { readonly [annotation.betaClass]?: string } };
  readonly spec?: { readonly storageClassName?: string };
}

/** The name of the StorageClass of a claim or volume; empty where it has none. */
export function storageClassName(object: Classed): string {
  return namedClass(object) ?? "";
}

/** Whether a claim names a class, or asks for none by an empty name. One that does neither gets the default class. */
export function hasStorageClassName(claim: Classed): boolean {
  return namedClass(claim) !== undefined;
}

function namedClass({ metadata, spec }: Classed): string | undefined {
  return metadata?.annotations?.[annotation.betaClass] ?? spec?.storageClassName;
}
