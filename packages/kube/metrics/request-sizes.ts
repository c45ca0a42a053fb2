import { Histogram, type Registry } from "@csi-sidecars/base/prometheus";
import { cachedChildren } from "./cached-children.ts";

const buckets = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/** `rest_client_request_size_bytes` and `rest_client_response_size_bytes`; the bodies of watches are not counted. */
export function requestSizes(registry: Registry) {
  const family = (name: string, what: string) =>
    new Histogram({
      name,
      help: `[ALPHA] ${what} size in bytes. Broken down by verb and host.`,
      labelNames: ["verb", "host"],
      buckets,
      registers: [registry],
    });
  const request = family("rest_client_request_size_bytes", "Request");
  const response = family("rest_client_response_size_bytes", "Response");
  return (host: string) => {
    const requestOf = cachedChildren((verb: string) => request.labels(verb, host));
    const responseOf = cachedChildren((verb: string) => response.labels(verb, host));
    return {
      sent: (verb: string, bytes: number): void => requestOf(verb).observe(bytes),
      received: (verb: string, bytes: number): void => responseOf(verb).observe(bytes),
    };
  };
}
