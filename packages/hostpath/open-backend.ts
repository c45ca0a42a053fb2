import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import type { Backend } from "./backend.ts";
import { memoryData } from "./data/data.ts";
import { diskData } from "./data/disk-data.ts";
import { PendingArea } from "./data/pending-area.ts";
import { ConditionRules } from "./faults/condition-rules.ts";
import { Locks } from "./locks.ts";
import { chooseMounter } from "./mount/choose-mounter.ts";
import { emptyMounter } from "./mount/link-mounter.ts";
import { runProgram } from "./run-program.ts";
import { Scripted } from "./script/scripted.ts";
import { defaultSettings, type HostpathOptions, type Settings } from "./settings.ts";
import { openState } from "./state/open-state.ts";
import { Totals } from "./state/record-index.ts";
import { State } from "./state/state.ts";

/** An open back end, and how to change its settings. */
export interface OpenBackend {
  readonly backend: Backend;
  change(settings: Partial<Settings>): void;
}

/** The settings of options; throws if a required one is missing. */
export function settingsOf(options: HostpathOptions): Settings {
  const given = Object.entries(options).filter(([key, value]) => Object.hasOwn(defaultSettings, key) && value !== undefined);
  const settings: Settings = { ...defaultSettings, ...Object.fromEntries(given) };
  if (!settings.driverName) throw new Error("no driver name provided: set --drivername");
  if (!settings.nodeId) throw new Error("no node id provided: set --nodeid");
  return { ...settings, stateDir: resolve(settings.stateDir) };
}

/** Opens the state directory and completes what a crash interrupted. */
export async function openBackend(settings: Settings, options: HostpathOptions): Promise<OpenBackend> {
  const { log = silentLogger, clock = systemClock, random = Math.random, newId = randomUUID, runProgram: run = runProgram } = options;
  let current = settings;
  const { state, data, scratch } = await openStorage(settings, options);
  const backend: Backend = {
    get settings() {
      return current;
    },
    state,
    data,
    mounter: scratch === undefined ? emptyMounter : await chooseMounter(settings.mountMode, run, log, scratch),
    locks: new Locks(),
    scripted: new Scripted(clock),
    conditions: new ConditionRules(),
    reserved: new Totals(),
    attaching: new Totals(),
    clock,
    log,
    random,
    newId,
  };
  return {
    backend,
    change(changed) {
      current = { ...current, ...changed };
    },
  };
}

async function openStorage(settings: Settings, { log = silentLogger, runProgram: run = runProgram, openFile }: HostpathOptions) {
  if (settings.backend === "memory") return { state: new State(), data: memoryData, scratch: undefined };
  const state = await openState({ stateDir: settings.stateDir, nodeId: settings.nodeId, log, openFile });
  const known = new Set([...state.volumes.values(), ...state.snapshots.values()].map(({ path }) => path));
  const pending = await PendingArea.open(settings.stateDir, (path) => known.has(path), log);
  return { state, data: diskData(settings.stateDir, pending, run), scratch: pending.directory };
}
