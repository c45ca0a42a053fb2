import type { Clock, Logger } from "@csi-sidecars/base";
import type { Registry } from "@csi-sidecars/base/prometheus";
import { exposition, expositionType } from "@csi-sidecars/csi";
import type { Answer, RouteRequest, Routes } from "./routes.ts";

/** One named health check. */
export interface Check {
  readonly name: string;
  /** What is wrong, if anything. */
  problem(): string | undefined;
  /** For `?verbose`: what else there is to know. */
  detail?(): string;
}

/**
 * A page as kube-apiserver's `/livez` and `/readyz`: `ok`, or with `?verbose` or a failure a line for each check.
 */
export function checkPage(page: string, checks: readonly Check[]): (request: RouteRequest) => Answer {
  return ({ query }) => {
    const results = checks.map((check) => ({ check, problem: check.problem() }));
    const failed = results.some(({ problem }) => problem !== undefined);
    const status = failed ? 500 : 200;
    if (!failed && !query.has("verbose")) return { status, body: "ok" };
    const lines = results.map(({ check, problem }) => {
      const detail = check.detail?.();
      const outcome = problem === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: ${problem}`;
      return detail ? `${outcome} (${detail})` : outcome;
    });
    return { status, body: `${[...lines, `${page} check ${failed ? "failed" : "passed"}`].join("\n")}\n` };
  };
}

/** Serves registries, whose families must differ, in Prometheus' text format; a collector that fails costs its own lines only. */
export function metricsPage(path: string, registries: () => Iterable<Registry>, log: Logger): Routes {
  const onError = (error: unknown) => log.error(error, "Failed to collect a metric");
  return {
    [path]: async () => {
      const texts = await Promise.all([...registries()].map((registry) => exposition(registry, onError)));
      return { status: 200, body: texts.join(""), contentType: expositionType };
    },
  };
}

const index = `profiles:
  /debug/pprof/profile?seconds=30  CPU, to be opened with Chrome's developer tools (.cpuprofile)
  /debug/pprof/heap                memory, to be opened with Chrome's developer tools (.heapsnapshot)
`;
const defaultSeconds = 30;
const maxSeconds = 100;

/** What `--enable-pprof` serves. The inspector is loaded with the first profile, not before. */
export function profilePages(clock: Clock): Routes {
  let profiling = false;
  const cpu = async ({ query, signal }: RouteRequest): Promise<Answer> => {
    if (profiling) return { status: 500, body: "a CPU profile is already being made\n" };
    const seconds = Number(query.get("seconds") ?? defaultSeconds);
    if (!(seconds > 0 && seconds <= maxSeconds)) return { status: 400, body: `seconds must be between 0 and ${maxSeconds}\n` };
    profiling = true;
    try {
      return { status: 200, body: await cpuProfile(clock, seconds * 1_000, signal), contentType: "application/json" };
    } finally {
      profiling = false;
    }
  };
  return {
    "/debug/pprof/": ({ path }) =>
      path === "/debug/pprof/" ? { status: 200, body: index } : { status: 404, body: "404 page not found\n" },
    "/debug/pprof/profile": cpu,
    "/debug/pprof/heap": heapProfile,
  };
}

async function cpuProfile(clock: Clock, ms: number, signal: AbortSignal): Promise<string> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await clock.sleep(ms, signal);
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

async function heapProfile(): Promise<Answer> {
  const { getHeapSnapshot } = await import("node:v8");
  const chunks: Uint8Array[] = [];
  for await (const chunk of getHeapSnapshot()) chunks.push(chunk);
  return { status: 200, body: Buffer.concat(chunks).toString("utf8"), contentType: "application/json" };
}
