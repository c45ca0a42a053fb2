import { dictionary, messageOf } from "@csi-sidecars/base";
import type { ObjectRef } from "../object.ts";
import { Secret } from "../resources.ts";
import type { CallOptions, Client } from "./client.ts";

/**
 * Reads a Secret from the API server, without caching it. Its values are decoded as text, so one that is not UTF-8 is refused; the
 * error names its key only. `failure` turns the reason into the caller's error message.
 */
export async function readSecretText(
  client: Pick<Client, "get">,
  ref: ObjectRef,
  options: CallOptions,
  failure: (reason: string) => string,
): Promise<Record<string, string>> {
  const secret = await client.get(Secret, ref, options).catch((cause: unknown) => {
    throw new Error(failure(messageOf(cause)), { cause });
  });
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const values = dictionary<string>();
  for (const [key, encoded] of Object.entries(secret.data ?? {})) {
    try {
      values[key] = decoder.decode(Buffer.from(encoded, "base64"));
    } catch {
      throw new Error(failure(`the value of ${JSON.stringify(key)} is not valid UTF-8`));
    }
  }
  return values;
}
