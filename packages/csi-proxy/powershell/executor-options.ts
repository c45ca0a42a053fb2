import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import type { OperationId } from "./catalogue.ts";
import { systemPowershell } from "./powershell-process.ts";
import { scriptOf } from "./scripts/script-of.ts";
import { sessionHostScript } from "./scripts/session-host-script.ts";

/** Where the texts of the scripts come from. Each is a constant: the same for every call. */
export interface ScriptSource {
  scriptOf(op: OperationId): string;
  /** Serves all operations of a session. */
  sessionHostScript(): string;
}

/** How PowerShell is run on this machine. */
export interface PowershellOptions {
  /** The program, for tests and for PowerShell 7. Default: the one that is part of Windows. */
  readonly powershellPath?: string;
  /** How many operations run at the same time: 3 unless told. */
  readonly concurrency?: number;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** For tests. Default: the scripts of the catalogue's operations. */
  readonly scripts?: ScriptSource;
  /** What children inherit: our own environment unless told. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

/** The same with nothing left open. */
export interface PowershellHost {
  readonly path: string;
  readonly concurrency: number;
  readonly log: Logger;
  readonly clock: Clock;
  readonly scripts: ScriptSource;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

export function powershellHost(options: PowershellOptions): PowershellHost {
  const env = options.env ?? process.env;
  return {
    path: options.powershellPath ?? systemPowershell(env),
    concurrency: options.concurrency ?? 3,
    log: options.log ?? silentLogger,
    clock: options.clock ?? systemClock,
    scripts: options.scripts ?? { scriptOf, sessionHostScript },
    env,
    platform: options.platform ?? process.platform,
  };
}
