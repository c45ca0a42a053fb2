import { Counter, Histogram, type Registry } from "@csi-sidecars/base/prometheus";

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const sizeBuckets = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/** What a client reports about its requests. */
export interface RequestMetrics {
  /** One attempt ended: `code` is the HTTP status, or `<error>` when there was none. */
  attempted(method: string, code: number | "<error>", retry: boolean): void;
  /** A call (all its attempts and waits; not a watch) ended. */
  finished(method: string, seconds: number): void;
  /** An attempt got its token after `seconds`. */
  rateLimited(method: string, seconds: number): void;
  sent(method: string, bytes: number): void;
  received(method: string, bytes: number): void;
}

/** The metric families of a process, to be bound to each client. */
export interface ClientMetrics {
  bind(client: { readonly host: string; readonly name: string }): RequestMetrics;
}

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

/** `rest_client_requests_total` and `rest_client_request_retries_total`: every attempt by its outcome, and the retries among them. */
function requestResults(registry: Registry) {
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

function byMethodAndCode(make: (method: string, code: string) => ReturnType<Counter["labels"]>) {
  const ofMethod = cachedChildren((method: string) => cachedChildren((code: number | "<error>") => make(method, String(code))));
  return (method: string, code: number | "<error>") => ofMethod(method)(code);
}

/** `rest_client_request_duration_seconds` and `rest_client_rate_limiter_duration_seconds`: how long calls take, and how long they wait for the rate limiter. */
function requestDurations(registry: Registry) {
  const request = new Histogram({
    name: "rest_client_request_duration_seconds",
    help: "[ALPHA] Request latency in seconds. Broken down by verb, and host.",
    labelNames: ["verb", "host"],
    buckets: durationBuckets,
    registers: [registry],
  });
  const rateLimiter = new Histogram({
    name: "rest_client_rate_limiter_duration_seconds",
    help: "[ALPHA] Client side rate limiter latency in seconds. Broken down by verb, and host.",
    labelNames: ["verb", "host"],
    buckets: durationBuckets,
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

/** `rest_client_request_size_bytes` and `rest_client_response_size_bytes`; the bodies of watches are not counted. */
function requestSizes(registry: Registry) {
  const family = (name: string, what: string) =>
    new Histogram({
      name,
      help: `[ALPHA] ${what} size in bytes. Broken down by verb and host.`,
      labelNames: ["verb", "host"],
      buckets: sizeBuckets,
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

/**
 * `csi_sidecars_kube_client_throttled_seconds_total`: how long each client waits for its own rate limit. client-go's
 * families are labelled with the server's address only, which all clients of a process share.
 */
function throttledSeconds(registry: Registry) {
  const counter = new Counter({
    name: "csi_sidecars_kube_client_throttled_seconds_total",
    help: "Seconds that requests waited for the client's own limit (--kube-api-qps, --kube-api-burst).",
    labelNames: ["client"],
    registers: [registry],
  });
  return (client: string) => {
    const child = counter.labels(client);
    child.inc(0);
    return (seconds: number): void => {
      if (seconds > 0) child.inc(seconds);
    };
  };
}

/** Creates each labelled child of a metric family once: the lookup per request must be cheap. */
function cachedChildren<K, C>(make: (key: K) => C): (key: K) => C {
  const children = new Map<K, C>();
  return (key) => {
    let child = children.get(key);
    if (child === undefined) {
      child = make(key);
      children.set(key, child);
    }
    return child;
  };
}
