import { ownValue } from "@csi-sidecars/base";
import { stoppedCall } from "../call-deadline.ts";
import { acceptOperation } from "./accept-operation.ts";
import type { Envelope, Executor, OperationOptions, OperationParameters } from "./executor.ts";

/** One answer, and the calls it is for. */
export interface RecordedReply {
  readonly op: string;
  /** Parameters that the call must have; it may have others. */
  readonly params?: OperationParameters;
  /** Only the nth call, from 1, of this operation with these parameters. Without it the reply is for every one. */
  readonly nth?: number;
  /** An error rejects the call, as a lost process does. A promise is an operation that takes until it is settled. */
  readonly reply: Envelope | Error | Promise<Envelope>;
}

/** A call that was made, with all its parameters. */
export interface RecordedCall {
  readonly op: string;
  readonly params: OperationParameters;
}

/**
 * Stands in for Windows in tests: answers from a list of replies, of which the first that matches counts, and records every call.
 *
 * ```ts
 * const executor = new RecordedExecutor([{ op: "system.bios", reply: { ok: true, data: { serialNumber: "VM-1" } } }]);
 * ```
 */
export class RecordedExecutor implements Executor {
  readonly calls: RecordedCall[] = [];
  readonly #replies: readonly RecordedReply[];
  readonly #unexpected: string[] = [];

  constructor(replies: readonly RecordedReply[]) {
    this.#replies = replies;
  }

  async run(op: string, params: OperationParameters, options: OperationOptions = {}): Promise<Envelope> {
    const { mutates } = acceptOperation(op, params);
    if (options.signal?.aborted) throw stoppedCall(op, options.signal.reason);
    this.calls.push({ op, params });
    const match = this.#replies.find((reply) => this.#isFor(reply));
    if (!match) {
      this.#unexpected.push(`${op} ${JSON.stringify(params)}`);
      throw this.#unexpectedCalls();
    }
    const { reply } = match;
    if (reply instanceof Error) throw reply;
    return reply instanceof Promise ? answerOrAbort(op, reply, mutates, options) : reply;
  }

  /** Rejects when there was a call without a reply: the code under test may have taken that error for an answer. */
  async close(): Promise<void> {
    if (this.#unexpected.length > 0) throw this.#unexpectedCalls();
  }

  /** Whether a reply is for the call that was made last. */
  #isFor({ op, params = {}, nth }: RecordedReply): boolean {
    const matches = (call: RecordedCall) =>
      call.op === op && Object.entries(params).every(([name, value]) => (ownValue(call.params, name) ?? "") === value);
    const last = this.calls.at(-1);
    if (!last || !matches(last)) return false;
    return nth === undefined || this.calls.filter(matches).length === nth;
  }

  #unexpectedCalls(): Error {
    return new Error(`no reply was recorded for: ${this.#unexpected.join("; ")}`);
  }
}

function answerOrAbort(op: string, reply: Promise<Envelope>, mutates: boolean, options: OperationOptions): Promise<Envelope> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(stoppedCall(op, signal?.reason));
      const ended = reply.then(
        () => {},
        () => {},
      );
      if (mutates) options.onAbandoned?.(ended);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    reply.then(resolve, reject).finally(() => signal?.removeEventListener("abort", onAbort));
  });
}
