import { Counter, type Registry } from "@csi-sidecars/base/prometheus";
import { cachedChildren } from "./cached-children.ts";

/** `rest_client_requests_total` and `rest_client_request_retries_total`: every attempt by its outcome, and the repeated ones among them. */
export function requestResults(registry: Registry) {
  const total = new Counter({
    name: "rest_client_requests_total",
    help: "[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.",
    labelNames: ["code", "method", "host"],
    registers: [registry],
  });
  const retries = new Counter({
    name: "rest_client_request_retries_total",
    help: "[ALPHA] Number of request retries, partitioned by status code, verb, and host.",
    labelNames: ["code", "verb", "host"],
    registers: [registry],
  });
  return (host: string) => {
    const totalOf = byMethodAndCode((method, code) => total.labels(code, method, host));
    const retriesOf = byMethodAndCode((method, code) => retries.labels(code, method, host));
    return (method: string, code: number | "<error>", retry: boolean): void => {
      totalOf(method, code).inc();
      if (retry) retriesOf(method, code).inc();
    };
  };
}

function byMethodAndCode(make: (method: string, code: string) => Counter.Internal) {
  const ofMethod = cachedChildren((method: string) => cachedChildren((code: number | "<error>") => make(method, String(code))));
  return (method: string, code: number | "<error>") => ofMethod(method)(code);
}
