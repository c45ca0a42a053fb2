import { messageOf, messageWithCause } from "@csi-sidecars/base";
import { TransportError } from "@csi-sidecars/kube";

/** Why a request failed, for people. Of a connection that was refused the runtime says only that it failed to connect. */
export function failureText(error: unknown): string {
  return error instanceof TransportError && error.kind === "refused" ? messageOf(error) : messageWithCause(error);
}
