import { goQuote, ownValue } from "@csi-sidecars/base";
import { apiCallOptions, type Parameters, type SecretRef, type SnapshotSecretPurpose, snapshotSecret } from "@csi-sidecars/controller";
import { groupSnapshotAnnotation, readSecretText, snapshotAnnotation } from "@csi-sidecars/kube";
import { messages } from "./messages.ts";
import type { SnapshotterContext } from "./snapshotter-context.ts";

/** How the secrets of contents are found, of snapshots or of group snapshots. */
export interface ContentSecrets {
  /** As messages call such a content. */
  readonly called: "snapshot content" | "group snapshot content";
  /** Where a content names the secret for creating and deleting: the snapshot-controller puts it there, or an administrator. */
  readonly annotations: { readonly secretName: string; readonly secretNamespace: string };
  /** What a class names a secret for that is used for looking up a snapshot. */
  readonly lookup: SnapshotSecretPurpose;
  /** The stem of the tokens in its templates. */
  readonly kind: "volumesnapshot" | "volumegroupsnapshot";
}

export const snapshotSecrets: ContentSecrets = {
  called: "snapshot content",
  annotations: snapshotAnnotation,
  lookup: "snapshotterList",
  kind: "volumesnapshot",
};

export const groupSnapshotSecrets: ContentSecrets = {
  called: "group snapshot content",
  annotations: groupSnapshotAnnotation,
  lookup: "groupSnapshotterGet",
  kind: "volumegroupsnapshot",
};

/** What a driver gets; empty where no secret is named. It is never kept: somebody may rotate it between two calls. */
export type Credentials = Record<string, string>;

interface AnnotatedContent {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string | undefined>> };
}

type ReadContext = Pick<SnapshotterContext, "kube">;

/** The secret that the content's annotations name: for creating and deleting a snapshot. Throws in upstream's words. */
export async function annotatedCredentials(
  { kube }: ReadContext,
  { called, annotations }: ContentSecrets,
  { metadata }: AnnotatedContent,
  signal: AbortSignal,
): Promise<Credentials> {
  const given = metadata.annotations ?? {};
  const [name, namespace] = [ownValue(given, annotations.secretName), ownValue(given, annotations.secretNamespace)];
  if (name === undefined || namespace === undefined) return {};
  const content = goQuote(metadata.name);
  if (name === "" || namespace === "") throw new Error(messages.secretUnnamed(called, content));
  return readSecretText(kube, { name, namespace }, apiCallOptions(signal), () => messages.credentialsMissing(called, content));
}

/** The secret that the class names: for looking up a snapshot. Throws in upstream's words. */
export async function classCredentials(
  { kube }: ReadContext,
  { called, lookup, kind }: ContentSecrets,
  { metadata: { name: content } }: AnnotatedContent,
  parameters: Parameters,
  signal: AbortSignal,
): Promise<Credentials> {
  const found = snapshotSecret(lookup, parameters, { kind, content });
  if (found.error !== undefined) throw new Error(messages.secretReferenceInvalid(called, content, found.error));
  if (!found.value) return {};
  const ref: SecretRef = found.value;
  return readSecretText(kube, ref, apiCallOptions(signal), (cause) =>
    messages.credentialsUnread(called, content, messages.secretUnreadable(ref.name, ref.namespace, cause)),
  );
}
