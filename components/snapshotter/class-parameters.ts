import type { Result } from "@csi-sidecars/base";
import { type Parameters, snapshotSecretKeys } from "@csi-sidecars/controller";
import { parameterPrefix } from "@csi-sidecars/kube";

/** The parameters of a class that the driver gets: all but those that name secrets. */
export function driverParameters(parameters: Parameters = {}): Result<Parameters> {
  const kept: [string, string][] = [];
  for (const [key, value] of Object.entries(parameters)) {
    if (!key.startsWith(parameterPrefix)) kept.push([key, value]);
    else if (!snapshotSecretKeys.includes(key)) {
      return { error: `found unknown parameter key "${key}" with reserved namespace ${parameterPrefix}` };
    }
  }
  return { value: Object.fromEntries(kept) };
}

/** What `--extra-create-metadata` adds: which objects the snapshot is taken for. */
export function snapshotMetadata(
  kind: "volumesnapshot" | "volumegroupsnapshot",
  reference: { readonly name?: string; readonly namespace?: string } | undefined,
  content: string,
): Parameters {
  return {
    [`${parameterPrefix}${kind}/name`]: reference?.name ?? "",
    [`${parameterPrefix}${kind}/namespace`]: reference?.namespace ?? "",
    [`${parameterPrefix}${kind}content/name`]: content,
  };
}
