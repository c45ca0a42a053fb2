import { Histogram, type Registry } from "@csi-sidecars/base/prometheus";
import { cachedChildren } from "./cached-children.ts";

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** `rest_client_request_duration_seconds` and `rest_client_rate_limiter_duration_seconds`: how long calls take, and how much of it they wait for us. */
export function requestDurations(registry: Registry) {
  const request = new Histogram({
    name: "rest_client_request_duration_seconds",
    help: "[ALPHA] Request latency in seconds. Broken down by verb, and host.",
    labelNames: ["verb", "host"],
    buckets,
    registers: [registry],
  });
  const rateLimiter = new Histogram({
    name: "rest_client_rate_limiter_duration_seconds",
    help: "[ALPHA] Client side rate limiter latency in seconds. Broken down by verb, and host.",
    labelNames: ["verb", "host"],
    buckets,
    registers: [registry],
  });
  return (host: string) => {
    const requestOf = cachedChildren((verb: string) => request.labels(verb, host));
    const rateLimiterOf = cachedChildren((verb: string) => rateLimiter.labels(verb, host));
    return {
      finished: (verb: string, seconds: number): void => requestOf(verb).observe(seconds),
      rateLimited: (verb: string, seconds: number): void => rateLimiterOf(verb).observe(seconds),
    };
  };
}
