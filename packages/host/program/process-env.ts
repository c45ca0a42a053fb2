import { hostname } from "node:os";
import { type Clock, type Logger, systemClock } from "@csi-sidecars/base";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client, Environment, HolderProcess } from "@csi-sidecars/kube";
import { leadingWordsAsFlags } from "../flags/leading-words.ts";
import { holderProcess } from "../leadership/holder-process.ts";
import type { Lead } from "../leadership/leadership.ts";
import { lead } from "../leadership/lease-candidate.ts";
import { isUtc } from "../logging/formats.ts";
import { descriptorSink, type Sink } from "../logging/sink.ts";
import { endSignals } from "./end-signals.ts";
import { restartWithSettings, type Workload } from "./runtime-settings.ts";
import { type StallTimer, startStallTimer } from "./stall-timer.ts";

/** Subscribes to something that happens to the process; returns how to unsubscribe. */
export type Subscribe<T> = (listener: (what: T) => void) => () => void;

/**
 * What nobody handled. An exception is reported in the asynchronous context in which it was thrown; a rejection in none, since the
 * runtime reports it after the work that caused it.
 */
export interface Fault {
  readonly kind: "exception" | "rejection";
  readonly error: unknown;
}

/**
 * What a test puts between a process and its environment, as `WrapTransport` does in client-go: the process itself stays the real one.
 * A process that ships has none.
 */
export interface Interceptors {
  /** The logger of which all others are made. */
  logger?(root: Logger): Logger;
  /** Each client of the API server. `name`: the component's, `<component>-<purpose>`, `informers`, `events`, `leader-election` or `report`. */
  client?(client: Client, name: string): Client;
  /** The connection to the driver, as components call it; capabilities are read past it. */
  driver?(driver: DriverClient): DriverClient;
  /** Whether cached objects are frozen, so that a component that changes one fails. */
  readonly freezeCaches?: boolean;
}

/** Everything a program takes from the operating system and the runtime. */
export interface ProcessEnv {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pid: number;
  /** Whether local time is known to be UTC. */
  readonly utc?: boolean;
  readonly hostName: string;
  /** What a lease says of the process that holds it. Without it a restarted process waits until its own lease has expired. */
  readonly holderProcess?: HolderProcess;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Those that ask it to end: SIGTERM and SIGINT, on Windows also what a console sends. */
  readonly signals: Subscribe<string>;
  readonly faults: Subscribe<Fault>;
  /** Where Kubernetes looks for the reason of an exit. */
  readonly terminationLog: string;
  readonly lead: Lead;
  /** Starts what ends the process when its event loop stands still; absent where the process is not its own. */
  readonly startStallTimer?: (limitMs: number) => Promise<StallTimer>;
  /** Called before a process says or does anything; may restart it instead of returning. */
  readonly tune?: (workload: Workload) => void;
  readonly intercept?: Interceptors;
}

/** The environment of a real process. */
export function realProcessEnv(): ProcessEnv {
  return {
    argv: leadingWordsAsFlags(process.argv.slice(2)),
    env: process.env,
    clock: systemClock,
    random: Math.random,
    pid: process.pid,
    utc: isUtc(process.env),
    // On the host's network the host name is the node's, and two pods there would look like one candidate.
    hostName: process.env.POD_NAME || hostname(),
    holderProcess: holderProcess(),
    stdout: descriptorSink(1),
    stderr: descriptorSink(2),
    signals: (listener) => subscribe(Object.fromEntries(endSignals(process.platform).map((signal) => [signal, listener]))),
    faults: (listener) =>
      subscribe({
        uncaughtException: (error: unknown) => listener({ kind: "exception", error }),
        unhandledRejection: (error: unknown) => listener({ kind: "rejection", error }),
      }),
    terminationLog: "/dev/termination-log",
    lead,
    ...(process.platform === "linux" && { startStallTimer }),
    tune: (workload) => restartWithSettings(process, workload),
  };
}

function subscribe<T>(listeners: Readonly<Record<string, (what: T) => void>>): () => void {
  for (const [event, listener] of Object.entries(listeners)) process.on(event, listener);
  return () => {
    for (const [event, listener] of Object.entries(listeners)) process.off(event, listener);
  };
}
