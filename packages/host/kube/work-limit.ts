import type { RateLimit } from "@csi-sidecars/kube";
import { numberAt } from "../flags/flag.ts";

/** The token bucket of a component's own client, by its flags; client-go's defaults where it has no such flags. */
export function workLimit(flags: Readonly<Record<string, unknown>>): RateLimit {
  return { qps: numberAt(flags, "kubeApiQps") ?? 5, burst: numberAt(flags, "kubeApiBurst") ?? 10 };
}
