/** What the live view shows of the sidecar's metrics. */
export interface SidecarMetrics {
  /** Bytes. */
  readonly memory: number | undefined;
  /** All requests to the API server so far. */
  readonly requests: number;
}

/** Reads the exposition format of Prometheus. */
export function readMetrics(text: string): SidecarMetrics {
  let memory: number | undefined;
  let requests = 0;
  for (const line of text.split("\n")) {
    const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (name === "process_resident_memory_bytes") memory = Number(value);
    else if (name === "rest_client_requests_total") requests += Number(value);
  }
  return { memory, requests };
}
