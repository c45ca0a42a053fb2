import { type Clock, systemClock } from "@csi-sidecars/base";
import { descriptorSink, endSignals, type Sink } from "@csi-sidecars/host/plain-program";

/** Everything the program takes from the operating system and the runtime. */
export interface ProgramEnv {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly clock: Clock;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Calls the listener for each request to end the process. */
  readonly onSignal: (listener: (signal: string) => void) => void;
  /** Calls the listener for exceptions that nobody handled. */
  readonly onFault: (listener: (error: unknown) => void) => void;
}

export function realProgramEnv(): ProgramEnv {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    platform: process.platform,
    pid: process.pid,
    clock: systemClock,
    stdout: descriptorSink(1),
    stderr: descriptorSink(2),
    onSignal(listener) {
      for (const signal of endSignals(process.platform)) process.on(signal, () => listener(signal));
    },
    onFault(listener) {
      process.on("uncaughtException", listener);
      process.on("unhandledRejection", listener);
    },
  };
}
