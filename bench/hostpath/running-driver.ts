import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Channel, type DriverClient, driverClient } from "@csi-sidecars/csi";
import { accepts } from "../shared/accepts.ts";
import { medianResult, type Result } from "../shared/result.ts";
import { Sidecar } from "../shared/sidecar.ts";
import type { Workbench } from "../shared/workbench.ts";

const settleMs = 2_000;
const timeoutMs = 60_000;

/** The driver in a process of its own, and a client of it. */
export class RunningDriver implements AsyncDisposable {
  readonly client: DriverClient;
  /** From the start of the process to the first answer of Probe. */
  readonly startMs: number;
  readonly #process: Sidecar;
  readonly #channel: Channel;

  private constructor(process: Sidecar, channel: Channel, startMs: number) {
    this.#process = process;
    this.#channel = channel;
    this.client = driverClient(channel);
    this.startMs = startMs;
  }

  /** Starts it with the state that the last one left. */
  static async start(bench: Workbench, program: string): Promise<RunningDriver> {
    const [path, stateDir] = [bench.path("csi.sock"), stateDirOf(bench)];
    const began = performance.now();
    const flags = [`--endpoint=${path}`, `--statedir=${stateDir}`, "--nodeid=bench-1", "--mount-mode=symlink", "--enable-attach"];
    const process = new Sidecar(bench, "hostpathplugin", program, flags);
    while (!(await accepts(path))) {
      process.check();
      if (performance.now() - began > timeoutMs) throw new Error("the driver does not answer");
      await sleep(2);
    }
    const channel = new Channel({ target: { kind: "unix", path } });
    await driverClient(channel).identity.probe({}, { waitForReady: true, timeoutMs: timeoutMs });
    return new RunningDriver(process, channel, performance.now() - began);
  }

  get cpuSeconds(): number {
    return this.#process.cpuSeconds;
  }

  /** Its memory after it has settled. */
  async memory(when: string): Promise<Result> {
    await sleep(settleMs);
    return { what: `RSS, ${when}`, value: this.#process.memory.rss / 1e6, unit: "MB" };
  }

  /** Its peak memory. */
  get peak(): Result {
    return { what: "RSS, peak", value: this.#process.memory.peak / 1e6, unit: "MB" };
  }

  /** Ends it with SIGKILL. */
  async kill(): Promise<void> {
    this.#channel.close();
    process.kill(this.#process.pid, "SIGKILL");
    while (isAlive(this.#process)) await sleep(2);
  }

  /** Ends it with SIGTERM, as kubelet does. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#channel.close();
    await this.#process[Symbol.asyncDispose]();
  }
}

/** The state folder of the driver. */
const stateDirOf = (bench: Workbench): string => bench.path("state");

/** The size of a file of the state in MB; 0 when there is none. */
const stateMegabytes = (bench: Workbench, name: string): number =>
  (statSync(`${stateDirOf(bench)}/${name}`, { throwIfNoEntry: false })?.size ?? 0) / 1e6;

function isAlive(driver: Sidecar): boolean {
  try {
    driver.check();
    return true;
  } catch {
    return false;
  }
}

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
