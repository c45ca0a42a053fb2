import { appendFileSync } from "node:fs";
import type { Clock } from "@csi-sidecars/base";
import type { CallRecord } from "./call-record.ts";
import { type ProtoView, withoutSecrets } from "./proto-view.ts";
import { CallCounter } from "./statistics.ts";

/** What is kept of calls. */
export interface CallLogOptions {
  readonly clock: Clock;
  /** Calls beyond this many are forgotten, the oldest first. */
  readonly history?: number;
  readonly recordSecrets?: boolean;
  /** A file to which each finished call is appended; empty for none. */
  readonly file?: string;
}

/** Remembers calls in the order of their coming. */
export class CallLog {
  readonly counter = new CallCounter();
  readonly #options: Required<CallLogOptions>;
  #calls = new Map<number, CallRecord>();
  #last = 0;

  constructor(options: CallLogOptions) {
    this.#options = { history: 10_000, recordSecrets: false, file: "", ...options };
  }

  begin(method: string, request: ProtoView): CallRecord {
    const { clock, recordSecrets, history } = this.#options;
    const call: CallRecord = {
      sequence: ++this.#last,
      method,
      request: recordSecrets ? request : withoutSecrets(request),
      startNs: clock.now() * 1e6,
    };
    this.#calls.set(call.sequence, call);
    this.#calls.delete(call.sequence - history);
    this.counter.begin(call);
    return call;
  }

  end(call: CallRecord, result: Pick<CallRecord, "response" | "code" | "message" | "rule" | "held" | "cancelled">): void {
    const ended = { ...call, ...result, endNs: this.#options.clock.now() * 1e6 };
    if (this.#calls.has(call.sequence)) this.#calls.set(call.sequence, ended);
    this.counter.end(ended);
    if (this.#options.file) appendFileSync(this.#options.file, `${JSON.stringify(ended)}\n`);
  }

  /** The calls after a sequence number, those under way included. */
  since(sequence = 0): CallRecord[] {
    return [...this.#calls.values()].filter((call) => call.sequence > sequence);
  }

  /** The calls of a method. */
  of(method: string): CallRecord[] {
    return this.since().filter((call) => call.method === method);
  }

  clear(): void {
    this.#calls = new Map();
  }
}
