import { inParallel } from "./in-parallel.ts";
import { median, type Result } from "./result.ts";

/** A call to repeat. */
export interface Calls {
  readonly what: string;
  /** What exists already, where that is compared. */
  readonly present?: string;
  readonly count: number;
  readonly inFlight: number;
  call(index: number): Promise<unknown>;
}

/** A server whose CPU can be read. */
export interface MeasuredServer {
  readonly cpuSeconds: number;
}

/** Calls per second, the server's CPU per call, and the time one call takes. */
export async function measureCalls(server: MeasuredServer, { what, present, count, inFlight, call }: Calls): Promise<Result[]> {
  const times: number[] = [];
  const [began, cpuBefore] = [performance.now(), server.cpuSeconds];
  await inParallel(count, inFlight, async (index) => {
    const start = performance.now();
    await call(index);
    times.push(performance.now() - start);
  });
  const seconds = (performance.now() - began) / 1000;
  const name = `${what} ${count.toLocaleString("en-US")}${present ? ` at ${present}` : ""}, ${inFlight} in flight`;
  return [
    { what: `${name}: calls`, value: count / seconds, unit: "/s" },
    { what: `${name}: CPU per call`, value: ((server.cpuSeconds - cpuBefore) * 1000) / count, unit: "ms" },
    { what: `${name}: median time`, value: median(times), unit: "ms" },
    { what: `${name}: longest`, value: Math.max(...times), unit: "ms" },
  ];
}
