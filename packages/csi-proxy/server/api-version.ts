/** How finished a version is, in the order in which versions ripen. */
const stages = ["alpha", "beta", "stable"] as const;

/** A version of an API group: `v1alpha2`, `v1beta1`, `v1`. */
export interface ApiVersion {
  /** The version as it was written. */
  readonly name: string;
  readonly major: number;
  readonly stage: (typeof stages)[number];
  /** The number behind `alpha` or `beta`; 0 for a stable version. */
  readonly qualifier: number;
}

const pattern = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;

/** Reads a version. Throws for anything that is none. */
export function parseApiVersion(name: string): ApiVersion {
  const [, major, stage, qualifier = "0"] = pattern.exec(name) ?? [];
  if (major === undefined) throw new Error(`invalid version name: ${JSON.stringify(name)}`);
  return {
    name,
    major: Number(major),
    stage: stages.find((known) => known === stage) ?? "stable",
    qualifier: Number(qualifier),
  };
}

/** Below 0 when `a` is older than `b`: v1alpha2 < v1beta1 < v1 < v2alpha1. */
export function compareApiVersions(a: ApiVersion, b: ApiVersion): number {
  return a.major - b.major || stages.indexOf(a.stage) - stages.indexOf(b.stage) || a.qualifier - b.qualifier;
}
