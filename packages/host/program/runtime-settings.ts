import { ownValue } from "@csi-sidecars/base";

/** The parts of Node's `process` that a program needs to restart itself. */
export interface Replaceable {
  readonly argv: readonly string[];
  readonly argv0: string;
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Windows has none. */
  readonly execve?: (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => void;
}

/** What a process is for. */
export type Workload = "controller" | "node";

/**
 * The runtime collects garbage once a second as long as anything runs: 0.26 s of CPU per minute of an idle process. What work
 * leaves behind is collected by its amount anyway.
 */
const collectRarely = { BUN_GC_TIMER_INTERVAL: "30000" };

/**
 * A process on every node does so little that compiling never pays. Without the just-in-time compiler livenessprobe with
 * node-driver-registrar keep 42 MB instead of 62 after 500 probes (9 instead of 22 not backed by the binary) for about a tenth more
 * CPU per probe, and no memory of the process is writable and executable.
 */
const compileNothing = { BUN_JSC_useJIT: "0" };

/**
 * The last and most expensive stage of the compiler is for code that runs hot for minutes. Controllers work in bursts: without it the
 * first 1,000 volumes take a fifth less CPU, and the next 1,000 as much as with it.
 */
const compileQuickly = { BUN_JSC_useFTLJIT: "0" };

const settings: Readonly<Record<Workload, Readonly<Record<string, string>>>> = {
  controller: { ...collectRarely, ...compileQuickly },
  node: { ...collectRarely, ...compileNothing },
};

/** Where a compiled program finds its own modules. */
const embedded = "/$bunfs/";

/**
 * Starts the program again in the same process, with the runtime's settings for its workload: they are read from the environment
 * when the runtime starts, and never later. Costs 20 ms. What the environment sets already stays.
 *
 * Does not return, unless there is nothing to set, the program runs from its sources, or the system cannot replace a process.
 */
export function restartWithSettings({ argv, argv0, execPath, env, execve }: Replaceable, workload: Workload): void {
  const [, main = "", ...args] = argv;
  const wanted = settings[workload];
  const isSet = Object.keys(wanted).every((name) => ownValue(env, name) !== undefined);
  if (!execve || isSet || !main.startsWith(embedded)) return;
  try {
    execve(execPath, [argv0, ...args], { ...wanted, ...env });
  } catch {
    // It works without the settings too, with more memory.
  }
}
