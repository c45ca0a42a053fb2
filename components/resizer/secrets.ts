import { apiCallOptions } from "@csi-sidecars/controller";
import { isAbort, readSecretText, TransportError } from "@csi-sidecars/kube";
import { messages } from "./messages.ts";
import type { ResizerContext } from "./resizer-context.ts";

/** Where a PersistentVolume says that a secret is. */
export interface VolumeSecretRef {
  readonly name?: string;
  readonly namespace?: string;
}

/** Reads the secret for one call; empty where there is none. It is never kept: somebody may rotate it between two attempts. */
export async function readSecret(
  { kube }: Pick<ResizerContext, "kube">,
  ref: VolumeSecretRef | undefined,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (!ref) return {};
  const { name = "", namespace = "" } = ref;
  return readSecretText(kube, { name, namespace }, apiCallOptions(signal), (cause) => messages.secretUnreadable(name, namespace, cause));
}

/** Whether a call was not made because the API server cannot be reached, or because the work ends: that is nothing to tell users. */
export function isUnreachable(error: unknown): boolean {
  return isAbort(error) || (error instanceof Error && error.cause instanceof TransportError);
}
