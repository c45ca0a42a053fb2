import type { Component, Settings } from "@csi-sidecars/host";
import { workLimit } from "@csi-sidecars/host/sub-commands";
import type { Row } from "./row.ts";

/** How many requests each component may send to the API server, in one line: who waits for that limit seems slow for no reason. */
export function requestLimitRows(enabled: readonly Component[], settings: Settings): readonly Row[] {
  const limited = enabled.filter(({ kube }) => kube);
  if (limited.length === 0) return [];
  const byLimit = Map.groupBy(limited, (component) => {
    const { qps, burst } = workLimit(settings.of(component));
    return qps < 0 ? "no limit" : `${qps}/${burst}`;
  });
  const limits = [...byLimit].map(([limit, components]) => `${components.map(({ name }) => name).join(", ")} ${limit}`);
  return [{ severity: "ok", area: "API server", message: `requests per second/at once: ${limits.join("; ")}` }];
}
