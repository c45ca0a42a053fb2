import type { Result } from "@csi-sidecars/base";
import { type Parameters, resolveSecret, type SecretRef, secretKeys, secretTemplates } from "./secret-templates.ts";

/** What a class of snapshots or group snapshots can name secrets for. */
export type SnapshotSecretPurpose = "snapshotter" | "snapshotterList" | "groupSnapshotter" | "groupSnapshotterGet";

const keysOf = {
  snapshotter: secretKeys("Snapshotter", "snapshotter-secret"),
  snapshotterList: secretKeys("SnapshotterList", "snapshotter-list-secret"),
  groupSnapshotter: secretKeys("GroupSnapshotter", "group-snapshotter-secret"),
  groupSnapshotterGet: secretKeys("GroupSnapshotterGet", "group-snapshotter-get-secret"),
} as const;

/** The class parameters that name secrets: drivers do not get them. */
export const snapshotSecretKeys: readonly string[] = Object.values(keysOf).flatMap(({ names, namespaces }) => [...names, ...namespaces]);

/** What templates may refer to: the content, and the snapshot or group where its name is known. */
export interface SnapshotSecretSubjects {
  /** `volumesnapshot` or `volumegroupsnapshot`: the stem of the tokens. */
  readonly kind: "volumesnapshot" | "volumegroupsnapshot";
  readonly content: string;
  readonly snapshot?: { readonly name: string; readonly namespace: string };
}

/** The secret that a class names for a purpose; `undefined` where it names none. */
export function snapshotSecret(
  purpose: SnapshotSecretPurpose,
  parameters: Parameters,
  { kind, content, snapshot }: SnapshotSecretSubjects,
): Result<SecretRef | undefined> {
  const templates = secretTemplates(keysOf[purpose], parameters);
  if (templates.error !== undefined) return { error: `failed to get name and namespace template from params: ${templates.error}` };
  if (!templates.value) return { value: undefined };
  const forNamespace = new Map([[`${kind}content.name`, content]]);
  if (snapshot) forNamespace.set(`${kind}.namespace`, snapshot.namespace);
  const forName = new Map(forNamespace);
  if (snapshot) forName.set(`${kind}.name`, snapshot.name);
  return resolveSecret(templates.value, { forName, forNamespace });
}
