import { type CallOptions, type Client, type ObjectRef, readSecretText } from "@csi-sidecars/kube";
import type { CsiVolume } from "@csi-sidecars/translation";
import { messages } from "./event-reasons.ts";

/** Where the credentials for publishing a volume are. */
export type SecretRef = Required<ObjectRef>;

/** The secret that publishing and unpublishing the volume must be called with, if it names one. */
export function secretRefOf({ controllerPublishSecretRef: ref }: CsiVolume): SecretRef | undefined {
  return ref && { name: ref.name ?? "", namespace: ref.namespace ?? "" };
}

/** Reads the secret for one call. */
export function loadSecret(client: Client, ref: SecretRef, options: CallOptions): Promise<Record<string, string>> {
  return readSecretText(client, ref, options, (reason) => messages.secretUnreadable(`${ref.namespace}/${ref.name}`, reason));
}
