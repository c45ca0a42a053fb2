import { visible } from "@csi-sidecars/base";
import { titleOf } from "./manifests.ts";
import type { Translation } from "./translate-workload.ts";

/** What people should read before they apply the result. */
export function renderReport(translations: readonly Translation[]): string {
  return translations
    .map(({ workload, parts, rbac, warnings, notes }) => {
      const lines = [
        ...warnings.map((text) => `Warning: ${text}`),
        ...(rbac?.missing ?? []).map((rule) => `RBAC missing: ${rule}`),
        ...(rbac?.optional ?? []).map((rule) => `RBAC missing, optional: ${rule}`),
        ...(rbac?.superfluous ?? []).map((rule) => `RBAC not needed by csi-sidecars: ${rule}`),
        ...notes.map((text) => `Note: ${text}`),
      ];
      const what =
        parts.map(({ replaced, container }) => `${replaced.join(", ")} -> ${container.name}`).join("; ") || "nothing is translated";
      return [`${titleOf(workload)}: ${what}`, ...lines.map((line) => `  ${line}`)].map((line) => `${visible(line)}\n`).join("");
    })
    .join("");
}
