import { deferred, isRecord } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { childEnvironment } from "./child-environment.ts";
import { envelopeOf, parseJsonLine } from "./envelope.ts";
import type { Envelope } from "./executor.ts";
import type { PowershellHost } from "./executor-options.ts";
import { LineReader } from "./line-reader.ts";
import { logScript } from "./log-script.ts";
import { outputLimit } from "./one-shot-executor.ts";
import { notStarted, type PowershellProcess, type ProcessEnd, startPowershell } from "./powershell-process.ts";
import type { OperationRequest, RunningOperation } from "./running-operation.ts";

/** How long a session has to end by itself once its input is closed. */
const graceMs = 5_000;

/** Whoever keeps the workers. Called before the reply is passed on, so that the next operation finds the worker free. */
export interface WorkerEvents {
  readonly onFree: (worker: SessionWorker) => void;
  readonly onEnd: (worker: SessionWorker) => void;
}

interface Pending {
  readonly id: number;
  readonly request: OperationRequest;
  readonly reply: PromiseWithResolvers<Envelope>;
  readonly ended: PromiseWithResolvers<void>;
}

/** The operation that was under way when its worker was lost: it may have happened or not. */
export class WorkerLost extends CsiProxyError {
  constructor(op: string, message: string, cause?: unknown) {
    super("Unavailable", message, { op, cause });
  }
}

/** One PowerShell that serves operations one after the other: a request is a line of JSON on its stdin, a reply one on its stdout. */
export class SessionWorker {
  readonly ended: Promise<void>;
  readonly #host: PowershellHost;
  readonly #script: string;
  readonly #process: PowershellProcess;
  readonly #events: WorkerEvents;
  #pending: Pending | undefined;
  /** Of the operation before this one, too: what is printed late may contain its secrets. */
  #last: OperationRequest | undefined;
  #sent = 0;
  #hasReplied = false;
  #isRetired = false;
  #wasKilled = false;

  constructor(host: PowershellHost, events: WorkerEvents) {
    this.#host = host;
    this.#events = events;
    this.#script = host.scripts.sessionHostScript();
    const lines = new LineReader(
      outputLimit,
      (line) => this.#receive(line),
      () => this.#onTooLong(),
    );
    this.#process = startPowershell(
      {
        path: host.path,
        script: this.#script,
        env: childEnvironment(host.env, {}, host.platform),
        hasInput: true,
        onOutput: (chunk) => lines.push(chunk),
      },
      host.clock,
    );
    this.ended = this.#process.ended.then((end) => this.#end(end));
  }

  /** How many operations it has begun. */
  get served(): number {
    return this.#sent;
  }

  /** Whether it takes no more operations. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Whether it ended by itself before it ever answered: PowerShell does not work here. */
  get failedToStart(): boolean {
    return !this.#hasReplied && !this.#wasKilled && this.#sent > 0;
  }

  begin(request: OperationRequest): RunningOperation {
    const pending: Pending = {
      id: ++this.#sent,
      request,
      reply: deferred(),
      ended: deferred(),
    };
    this.#pending = pending;
    this.#last = request;
    logScript(this.#host.log, "Asking a PowerShell session", request.op, this.#script);
    this.#process.write(requestLine(pending.id, request));
    const kill = () => {
      // It may have ended by now, and the worker may do something else.
      if (this.#pending === pending) this.#kill();
    };
    return { reply: pending.reply.promise, ended: pending.ended.promise, kill };
  }

  /** Lets it finish what it does, and ends it. It is killed if it stays, but never while it changes something. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#process.endInput();
    this.#killLater();
  }

  #killLater(): void {
    const timer = this.#host.clock.after(graceMs, () => {
      if (this.#pending?.request.mutates) this.#killLater();
      else this.#kill();
    });
    void this.#process.ended.then(() => timer.cancel());
  }

  #kill(): void {
    this.#isRetired = true;
    this.#wasKilled = true;
    this.#process.kill();
  }

  #receive(line: string): void {
    const message = parseJsonLine(line);
    const pending = this.#pending;
    if (!pending || !isRecord(message) || message.id !== pending.id) {
      this.#ignore(line);
      return;
    }
    this.#hasReplied = true;
    const envelope = envelopeOf(message);
    if (!envelope) {
      this.#reject(pending, "the PowerShell session answered in a form that is not known");
      this.#kill();
      return;
    }
    this.#pending = undefined;
    this.#events.onFree(this);
    pending.ended.resolve();
    pending.reply.resolve(envelope);
  }

  #ignore(line: string): void {
    const log = this.#host.log.v(8);
    if (line !== "" && log.enabled)
      log.info("A PowerShell session printed more than answers", { output: this.#last?.redact(line) ?? line });
  }

  /** Nothing it prints can be understood from now on. What changes something goes on until the process ends by itself. */
  #onTooLong(): void {
    if (this.#pending) this.#reject(this.#pending, "the PowerShell session printed a line that is too long");
    if (this.#pending?.request.mutates) this.retire();
    else this.#kill();
  }

  #reject({ request: { op }, reply }: Pending, problem: string): void {
    reply.reject(new WorkerLost(op, `${op}: ${problem}`));
  }

  #end(end: ProcessEnd): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#isRetired = true;
    this.#events.onEnd(this);
    if (!pending) return;
    pending.ended.resolve();
    pending.reply.reject(this.#lost(pending.request, end));
  }

  #lost({ op, redact }: OperationRequest, end: ProcessEnd): WorkerLost {
    if ("notStarted" in end) return new WorkerLost(op, notStarted(end.notStarted).message, end.notStarted);
    const how = end.exitCode === null ? `was ended by ${end.signal}` : `ended with exit code ${end.exitCode}`;
    // Later on stderr may contain secrets of other operations.
    const stderr = this.#hasReplied ? "" : this.#process.stderr.shown(redact);
    return new WorkerLost(op, [`${op}: the PowerShell session ${how}`, ...(stderr ? [stderr] : [])].join(": "));
  }
}

/** In ASCII: powershell.exe reads its stdin in the code page of the system. */
function requestLine(id: number, { op, params }: OperationRequest): string {
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ""));
  const json = JSON.stringify({ id, op, params: given });
  return `${json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
