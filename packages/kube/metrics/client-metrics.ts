import type { Registry } from "@csi-sidecars/base/prometheus";
import type { ClientMetrics } from "../client/request-metrics.ts";
import { requestDurations } from "./request-durations.ts";
import { requestResults } from "./request-results.ts";
import { requestSizes } from "./request-sizes.ts";
import { throttledSeconds } from "./throttled-seconds.ts";

/** client-go's `rest_client_*` families on a registry. Make them once per registry; every client of the process binds to them. */
export function clientMetrics(registry: Registry): ClientMetrics {
  const results = requestResults(registry);
  const durations = requestDurations(registry);
  const sizes = requestSizes(registry);
  const throttled = throttledSeconds(registry);
  return {
    bind({ host, name }) {
      const { finished, rateLimited } = durations(host);
      const throttledFor = throttled(name);
      return {
        attempted: results(host),
        finished,
        rateLimited(method, seconds) {
          rateLimited(method, seconds);
          throttledFor(seconds);
        },
        ...sizes(host),
      };
    },
  };
}
