import type { SecretPurpose, SecretRef } from "@csi-sidecars/controller";
import { type CallOptions, type Client, readSecretText } from "@csi-sidecars/kube";
import { messages } from "./messages.ts";

/** Reads the secret for one call. */
export function loadSecret(client: Client, ref: SecretRef, options: CallOptions): Promise<Record<string, string>> {
  return readSecretText(client, ref, options, (reason) => messages.secretUnreadable(ref.name, ref.namespace, reason));
}

/** Reads the secret that the driver needs to create or to clean up a volume; empty where the class names none. */
export async function provisionerSecrets(
  client: Client,
  { provisioner }: Readonly<Partial<Record<SecretPurpose, SecretRef>>>,
  options: CallOptions,
): Promise<Record<string, string>> {
  return provisioner ? loadSecret(client, provisioner, options) : {};
}
