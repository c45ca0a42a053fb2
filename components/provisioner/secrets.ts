import { type Client, Secret } from "@csi-sidecars/kube";
import type { SecretRef } from "./secret-references.ts";

/**
 * Reads a secret from the API server, for one call: it is kept nowhere. Drivers are given text, so a value that is not UTF-8 is
 * refused rather than changed; the error names its key only.
 */
export async function loadSecret(
  client: Client,
  ref: SecretRef,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Record<string, string>> {
  const failed = (reason: string, cause?: unknown) =>
    new Error(`error getting secret ${ref.name} in namespace ${ref.namespace}: ${reason}`, { cause });
  const secret = await client.get(Secret, ref, options).catch((error: unknown) => {
    throw failed(error instanceof Error ? error.message : String(error), error);
  });
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const values: Record<string, string> = {};
  for (const [key, encoded] of Object.entries(secret.data ?? {})) {
    try {
      values[key] = decoder.decode(Buffer.from(encoded, "base64"));
    } catch {
      throw failed(`the value of ${JSON.stringify(key)} is not valid UTF-8`);
    }
  }
  return values;
}
