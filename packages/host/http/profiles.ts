import type { Clock } from "@csi-sidecars/base";
import type { Answer, RouteRequest, Routes } from "./routes.ts";

const index = `profiles, without the contents of memory:
  /debug/pprof/profile?seconds=30  CPU time by function, to be opened with Chrome's developer tools (.cpuprofile)
  /debug/pprof/heap                memory: totals, and the number of objects of each type
`;
const defaultSeconds = 30;
const maxSeconds = 100;

/**
 * What `--enable-pprof` serves: names of functions and types, times, counts and sizes. Nothing that the process holds is in it, since
 * that would be every token and secret of its memory; this is why there is no heap snapshot. The inspector is loaded with the first
 * profile, not before.
 */
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
    "/debug/pprof/heap": heapSummary,
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

/** Tens of milliseconds for a million objects, where a snapshot stops the process for seconds and doubles its memory. */
async function heapSummary(): Promise<Answer> {
  const { heapStats } = await import("bun:jsc");
  const { heapSize, heapCapacity, extraMemorySize, objectCount, objectTypeCounts } = heapStats();
  const totals = [
    ["resident memory, bytes", process.memoryUsage.rss()],
    ["heap in use, bytes", heapSize],
    ["heap reserved, bytes", heapCapacity],
    ["memory that objects hold outside of the heap, bytes", extraMemorySize],
    ["objects", objectCount],
  ] as const;
  const types = Object.entries(objectTypeCounts).sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
  const lines = (rows: readonly (readonly [string, number])[]) =>
    rows.map(([name, count]) => `${String(count).padStart(12)}  ${name}\n`).join("");
  const body = `The memory of this process, without contents. This is text to read or to compare with a later one, not a Go profile:
"go tool pprof" cannot open it.

${lines(totals)}
objects by type, the most frequent first:
${lines(types)}`;
  return { status: 200, body };
}
