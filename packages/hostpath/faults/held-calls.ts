import { Code, GrpcError } from "@csi-sidecars/csi";
import type { CallRecord } from "../calls/call-record.ts";

/** Calls that a rule with `hang` blocks. */
export class HeldCalls {
  readonly #held = new Map<number, () => void>();
  #closed = false;

  /** Waits until the call is released, or its client is no longer there. */
  hold(sequence: number, signal: AbortSignal): Promise<NonNullable<CallRecord["held"]>> {
    return new Promise((resolve) => {
      const end = (how: NonNullable<CallRecord["held"]>) => {
        this.#held.delete(sequence);
        signal.removeEventListener("abort", onAbort);
        resolve(how);
      };
      const onAbort = () => end(isDeadline(signal.reason) ? "deadline" : "cancelled");
      this.#held.set(sequence, () => end("released"));
      if (signal.aborted) onAbort();
      else if (this.#closed) end("released");
      else signal.addEventListener("abort", onAbort);
    });
  }

  get sequences(): number[] {
    return [...this.#held.keys()];
  }

  /** Unblocks a call; returns whether it was blocked. */
  release(sequence: number): boolean {
    const go = this.#held.get(sequence);
    go?.();
    return go !== undefined;
  }

  releaseAll(): void {
    for (const sequence of this.sequences) this.release(sequence);
  }

  /** Unblocks all calls, and blocks none from now on. */
  close(): void {
    this.#closed = true;
    this.releaseAll();
  }
}

const isDeadline = (reason: unknown) => reason instanceof GrpcError && reason.code === Code.DeadlineExceeded;
