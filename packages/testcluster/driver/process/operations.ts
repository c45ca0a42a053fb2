import type { DriverCall } from "../call-log.ts";
import type { Method } from "../methods.ts";
import type { ScriptedDriver } from "../scripted-driver.ts";
import type { PlayedStep, Step } from "../step.ts";
import type { StoredGroup, StoredSnapshot, StoredVolume, VolumeInput } from "../storage/storage.ts";

/** The operations on a driver in another process; everything is plain data. */
export interface Operations {
  state(): DriverState;
  calls(): readonly DriverCall[];
  script<M extends Method>(method: M, ...steps: Step<M>[]): void;
  release(gate: string): void;
  addVolume(volume: VolumeInput): void;
  finishSnapshots(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** The names of the operations, as they appear in the control channel's paths. */
export const operationNames: readonly (keyof Operations)[] = [
  ...(["state", "calls", "script", "release", "addVolume", "finishSnapshots"] as const),
  ...(["start", "stop", "kill"] as const),
];

/** The operations on a driver of this process. */
export function operationsOn(driver: ScriptedDriver): Operations {
  return {
    state: () => stateOf(driver),
    calls: () => driver.calls(),
    script: (method, ...steps) => driver.script(method, ...checked(steps)),
    release: (gate) => driver.release(gate),
    addVolume: (volume) => void driver.addVolume(volume),
    finishSnapshots: () => driver.finishSnapshots(),
    start: () => driver.start(),
    stop: () => driver.stop(),
    kill: () => driver.kill(),
  };
}

/** A function cannot be sent to another process: it would arrive as an empty answer. */
function checked<S extends PlayedStep>(steps: S[]): S[] {
  for (const step of steps) {
    if (step.kind === "reply" && step.answer === undefined)
      throw new Error("a computed answer cannot be given to a driver in another process");
  }
  return steps;
}

/** A volume as plain data. */
export interface VolumeState extends Omit<StoredVolume, "published" | "staged" | "mounted"> {
  readonly publishedTo: readonly string[];
  readonly staged: readonly string[];
  readonly mounted: readonly string[];
}

/** All that the storage of a driver holds, as plain data. */
export interface DriverState {
  readonly running: boolean;
  readonly volumes: readonly VolumeState[];
  readonly snapshots: readonly StoredSnapshot[];
  readonly groups: readonly StoredGroup[];
}

/** The state of a driver now. */
function stateOf(driver: ScriptedDriver): DriverState {
  const volumes = [...driver.volumes.values()].map(({ published, staged, mounted, ...volume }) => ({
    ...volume,
    publishedTo: [...published.keys()],
    staged: [...staged],
    mounted: [...mounted],
  }));
  return { running: driver.running, volumes, snapshots: [...driver.snapshots.values()], groups: [...driver.groups.values()] };
}
