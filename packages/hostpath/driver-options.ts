import type { Clock, Logger } from "@csi-sidecars/base";
import type { FaultRule } from "./faults/rule.ts";
import type { RunProgram } from "./run-program.ts";
import type { Settings } from "./settings.ts";
import type { AppendFile } from "./state/durable-file.ts";

/** How a driver is started: settings that differ from the defaults, and the world around it. */
export interface HostpathOptions extends Partial<Settings> {
  readonly nodeId: string;
  /** Fault rules in force from the start, before those of `faultsFile`. */
  readonly faults?: readonly FaultRule[];
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly newId?: () => string;
  readonly runProgram?: RunProgram;
  /** Opens the journal; tests give a file that fails. */
  readonly openFile?: (path: string) => Promise<AppendFile>;
  /** What a crash does after everything was dropped: ends the process, in a program. */
  readonly exit?: (code: number) => void;
  /** How many calls are remembered. */
  readonly callHistory?: number;
}
