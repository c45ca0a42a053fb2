import { appendFileSync } from "node:fs";
import { type Clock, type Logger, silentLogger } from "@csi-sidecars/base";
import type { CallRecord } from "./call-record.ts";
import { protoJson, withoutSecrets } from "./proto-json.ts";
import { CallCounter } from "./report.ts";

/** What is recorded. */
export interface CallLogOptions {
  readonly clock: Clock;
  readonly log?: Logger;
  /** Calls beyond this many are forgotten, the oldest first; each entry of a list counts as one more. */
  readonly history?: number;
  readonly recordSecrets?: boolean;
  /** A file to which each finished call is appended; empty for none. */
  readonly file?: string;
}

/** Records calls in the order in which they arrived. */
export class CallLog {
  readonly counter = new CallCounter();
  readonly #options: Required<CallLogOptions>;
  #calls = new Map<number, CallRecord>();
  #last = 0;
  #weight = 0;

  constructor({ clock, log = silentLogger, history = 10_000, recordSecrets = false, file = "" }: CallLogOptions) {
    this.#options = { clock, log, history, recordSecrets, file };
  }

  begin(facts: Pick<CallRecord, "method" | "request" | "timeoutMs" | "connection">): CallRecord {
    const { clock, recordSecrets } = this.#options;
    const request = recordSecrets ? facts.request : withoutSecrets(facts.request);
    const call: CallRecord = { sequence: ++this.#last, ...facts, request, startNs: clock.now() * 1e6 };
    this.#calls.set(call.sequence, call);
    this.#weight += weightOf(call);
    this.#forget();
    this.counter.begin(call);
    return call;
  }

  /** Notes how a call ended; `answer` is the message that it was answered with. */
  end(call: CallRecord, result: Pick<CallRecord, "code" | "message" | "rule" | "held" | "cancelled">, answer: object | undefined): void {
    const { clock, history, file } = this.#options;
    // Do not copy a list of thousands that nothing will read.
    const response = answer && (history > 0 || file) ? protoJson(answer) : undefined;
    const ended = { ...call, ...result, response, endNs: clock.now() * 1e6 };
    if (this.#calls.has(call.sequence)) {
      this.#calls.set(call.sequence, ended);
      this.#weight += weightOf(ended) - weightOf(call);
      this.#forget();
    }
    this.counter.end(ended, answer);
    if (file) this.#write(file, ended);
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
    this.#weight = 0;
  }

  /** A record that cannot be written must not fail a call that is done. */
  #write(file: string, call: CallRecord): void {
    try {
      appendFileSync(file, `${JSON.stringify(call)}\n`, { mode: 0o600 });
    } catch (error) {
      this.#options.log.error(error, "Cannot write to the call log", { file });
    }
  }

  #forget(): void {
    for (const [sequence, call] of this.#calls) {
      if (this.#weight <= this.#options.history) return;
      this.#calls.delete(sequence);
      this.#weight -= weightOf(call);
    }
  }
}

/** Long lists that are requested again and again would fill the memory. */
const weightOf = ({ response }: CallRecord) => 1 + (Array.isArray(response?.entries) ? response.entries.length : 0);
