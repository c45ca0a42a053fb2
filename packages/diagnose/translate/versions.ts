import type { LegacySidecar } from "./legacy-sidecar.ts";

/** What the version of a sidecar's image says about the change that is ahead. */
export function versionNotes(sidecars: readonly LegacySidecar[]): {
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
} {
  const notes: string[] = [];
  const warnings: string[] = [];
  for (const { name, version, component } of sidecars) {
    const { upstreamVersion: ours, standalone } = component;
    if (version === undefined || ours === undefined) continue;
    const [theirs, reproduced] = [numbers(version), numbers(ours)];
    const [major = 0, minor = 0] = theirs;
    const [ourMajor = 0, ourMinor = 0] = reproduced;
    if (major < ourMajor)
      warnings.push(
        `${name} is ${standalone} ${version}, csi-sidecars behaves as ${ours}: read what changed in the major versions between before you roll out`,
      );
    else if (major > ourMajor || minor > ourMinor)
      warnings.push(`${name} is ${standalone} ${version}, newer than ${ours}, as which csi-sidecars behaves`);
    else if (minor < ourMinor) notes.push(`${name} is ${standalone} ${version}, csi-sidecars behaves as ${ours}`);
  }
  return { notes, warnings };
}

const numbers = (version: string) => version.replace(/^v/, "").split(".").map(Number);
