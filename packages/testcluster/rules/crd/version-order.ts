/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1. */
export function newestFirst(a: string, b: string): number {
  const [majorA, stageA, minorA] = versionRank(a);
  const [majorB, stageB, minorB] = versionRank(b);
  return stageB - stageA || majorB - majorA || minorB - minorA;
}

function versionRank(version: string): readonly [major: number, stage: number, minor: number] {
  const [, major = "0", stage, minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return [Number(major), stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(minor)];
}
