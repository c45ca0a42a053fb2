/** The metrics of a program that the live view shows. */
export interface ProgramMetrics {
  /** Bytes. */
  readonly memory: number | undefined;
  /** All requests to the API server so far. */
  readonly requests: number;
  /** The claims whose volume is abnormal, as `namespace/name`. */
  readonly abnormalClaims: ReadonlySet<string>;
}

/** Reads the Prometheus exposition format. */
export function readMetrics(text: string): ProgramMetrics {
  let memory: number | undefined;
  let requests = 0;
  const abnormalClaims = new Set<string>();
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === "process_resident_memory_bytes") memory = Number(value);
    else if (name === "rest_client_requests_total") requests += Number(value);
    else if (name === "csi_sidecars_health_monitor_claim_abnormal") abnormalClaims.add(claimIn(labels));
  }
  return { memory, requests, abnormalClaims };
}

/** The claim that labels name; its names have no characters that are escaped. */
function claimIn(labels: string): string {
  const [, namespace = ""] = /\bnamespace="([^"]*)"/.exec(labels) ?? [];
  const [, name = ""] = /\bpersistentvolumeclaim="([^"]*)"/.exec(labels) ?? [];
  return `${namespace}/${name}`;
}

/** The rate is computed over the last milliseconds. */
const windowMs = 5_000;

interface Sample {
  readonly at: number;
  readonly total: number;
}

/** Turns samples of a counter into a rate. A counter that went down belongs to a new process. */
export function requestRate(): (at: number, total: number | undefined) => number {
  let samples: readonly Sample[] = [];
  return (at, total) => {
    if (total === undefined) {
      samples = [];
      return 0;
    }
    const last = samples.at(-1);
    if (last && total < last.total) samples = [];
    samples = [...samples.filter((sample) => sample.at >= at - windowMs), { at, total }];
    return ((total - (samples[0]?.total ?? total)) * 1000) / windowMs;
  };
}
