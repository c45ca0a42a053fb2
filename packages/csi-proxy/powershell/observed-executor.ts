import { type Clock, systemClock } from "@csi-sidecars/base";
import { CsiProxyError, type CsiProxyErrorCode } from "../csi-proxy-error.ts";
import type { Envelope, Executor, OperationOptions, OperationParameters } from "./executor.ts";
import { codeOf } from "./run-operation.ts";

/** One operation as its caller saw it, with the wait for a slot. */
export interface ObservedOperation {
  readonly op: string;
  readonly durationMs: number;
  readonly ok: boolean;
  readonly code: "OK" | CsiProxyErrorCode;
}

export type OperationObserver = (operation: ObservedOperation) => void;

/** The same executor, which also tells how each operation went: for metrics. Parameters are not told, they may be secret. */
export function observedExecutor(executor: Executor, observer: OperationObserver, clock: Clock = systemClock): Executor {
  const codeOfAnswer = (envelope: Envelope) => (envelope.ok ? "OK" : codeOf(envelope.error));
  return {
    close: () => executor.close(),
    async run(op: string, params: OperationParameters, options?: OperationOptions): Promise<Envelope> {
      const began = clock.monotonic();
      const tell = (code: ObservedOperation["code"]) => observer({ op, durationMs: clock.monotonic() - began, ok: code === "OK", code });
      try {
        const envelope = await executor.run(op, params, options);
        tell(codeOfAnswer(envelope));
        return envelope;
      } catch (error) {
        tell(error instanceof CsiProxyError ? error.code : "Internal");
        throw error;
      }
    },
  };
}
