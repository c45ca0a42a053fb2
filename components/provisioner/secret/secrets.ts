import { type CallOptions, type Client, readSecretText } from "@csi-sidecars/kube";
import type { SecretRef } from "./secret-references.ts";

/** Reads the secret for one call. */
export function loadSecret(client: Client, ref: SecretRef, options: CallOptions): Promise<Record<string, string>> {
  return readSecretText(client, ref, options, (reason) => `error getting secret ${ref.name} in namespace ${ref.namespace}: ${reason}`);
}
