import { groupResourceOf, type Resource } from "@csi-sidecars/kube";
import type { Findings } from "./findings.ts";
import type { Row } from "./row.ts";

/** What is not served of the custom kinds that components need, and what is stored in versions that are gone some day. */
export function kindRows(findings: Findings): readonly Row[] {
  return [...missingRows(findings), ...storedRows(findings)];
}

/** A component that does not run misses nothing. One that may not run at all is only warned about. */
function missingRows({ kinds, components, served }: Findings): readonly Row[] {
  if (!served?.known) return [];
  return kinds.flatMap(({ who, need }): Row[] => {
    const runs = components.find(({ name }) => name === who)?.runs;
    const missing = need.kinds.flatMap((kind) => absence(kind, served.value.get(groupResourceOf(kind)) ?? []) ?? []);
    if (runs === false || missing.length === 0) return [];
    return [
      {
        severity: need.optional || !runs ? "warning" : "error",
        ...{ area: "API", who },
        message: `${missing.join(", ")}: ${need.without}`,
        remedy: need.remedy,
      },
    ];
  });
}

function absence(kind: Resource, versions: readonly string[]): string | undefined {
  if (versions.includes(kind.version)) return undefined;
  const name = groupResourceOf(kind);
  return versions.length === 0 ? `${name} is not served` : `${name} is served as ${versions.join(", ")}, but not as ${kind.version}`;
}

function storedRows({ stored = [] }: Findings): readonly Row[] {
  return stored.flatMap(({ kind, current, older }): Row[] => {
    if (older.length === 0) return [];
    return [
      {
        ...{ severity: "warning", area: "API" },
        message: `objects of ${kind} may still be stored as ${older.join(", ")} instead of ${current}`,
        remedy: `write each of them once, and remove ${older.join(", ")} from status.storedVersions of the CustomResourceDefinition, before a newer one without that version is installed`,
      },
    ];
  });
}
