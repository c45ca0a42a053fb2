import { medianResult, type Result } from "../shared/result.ts";
import type { Workbench } from "../shared/workbench.ts";
import { RunningDriver, stateMegabytes } from "./running-driver.ts";

/** How long the driver takes from its start to the first Probe, on the state that a kill or a graceful stop has left. */
export async function measureStarts(bench: Workbench, program: string, how: "a kill" | "a stop", times: number): Promise<Result[]> {
  const after = `after ${how}`;
  const files: Result[] = ["state.json", "state.journal"].map((name) => ({
    ...{ what: `${name}, ${after}`, value: stateMegabytes(bench, name), unit: "MB" },
  }));
  const starts: number[] = [];
  let memory: Result | undefined;
  for (let start = 0; start < times; start++) {
    const driver = await RunningDriver.start(bench, program);
    starts.push(driver.startMs);
    memory = await driver.memory(`started ${after}`);
    if (how === "a kill") await driver.kill();
    else await driver[Symbol.asyncDispose]();
  }
  return [...files, medianResult(`start to Probe, ${after}`, "ms", starts), ...(memory ? [memory] : [])];
}
