import type { ClusterConfig } from "../../config/cluster-config.ts";
import { TransportError } from "../transport.ts";

/** The plainest configuration for `server`. */
export function configFor(server: string, more: Partial<ClusterConfig> = {}): ClusterConfig {
  return { source: "a test", server, tls: { insecure: false }, credentials: { kind: "none" }, disableCompression: false, ...more };
}

/** The TransportError that `promise` fails with. */
export async function failureOf(promise: Promise<unknown>): Promise<TransportError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof TransportError) return outcome;
  throw new Error("expected a TransportError", { cause: outcome });
}
