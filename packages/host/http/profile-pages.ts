import type { Clock } from "@csi-sidecars/base";
import type { Answer, RouteRequest, Routes } from "./routes.ts";

const index = `profiles:
  /debug/pprof/profile?seconds=30  CPU, to be opened with Chrome's developer tools (.cpuprofile)
  /debug/pprof/heap                memory, to be opened with Chrome's developer tools (.heapsnapshot)
`;
const defaultSeconds = 30;
const longestSeconds = 100;

/** What `--enable-pprof` serves. The inspector is loaded with the first profile, not before. */
export function profilePages(clock: Clock): Routes {
  let profiling = false;
  const cpu = async ({ query, signal }: RouteRequest): Promise<Answer> => {
    if (profiling) return { status: 500, body: "a CPU profile is already being made\n" };
    const seconds = Number(query.get("seconds") ?? defaultSeconds);
    if (!(seconds > 0 && seconds <= longestSeconds)) return { status: 400, body: `seconds must be between 0 and ${longestSeconds}\n` };
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
