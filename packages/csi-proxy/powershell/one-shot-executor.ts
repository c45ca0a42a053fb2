import { CsiProxyError } from "../csi-proxy-error.ts";
import { childEnvironment, operationVariable } from "./child-environment.ts";
import { envelopeOf, parseJsonLine } from "./envelope.ts";
import type { Envelope } from "./executor.ts";
import { type PowershellHost, type PowershellOptions, powershellHost } from "./executor-options.ts";
import { LimitedExecutor } from "./limited-executor.ts";
import { logScript } from "./log-script.ts";
import { notStarted, type PowershellProcess, type ProcessEnd, startPowershell } from "./powershell-process.ts";
import type { OperationLauncher, OperationRequest, RunningOperation } from "./running-operation.ts";

/** The most that an operation may print. */
export const outputLimit = 16 * 1024 * 1024;

/**
 * Runs every operation in a PowerShell of its own. Simple, slow, and secrets are in the environment of a process while it runs: a
 * session is better where it works.
 */
export class OneShotExecutor extends LimitedExecutor {
  constructor(options: PowershellOptions) {
    const host = powershellHost(options);
    super(oneShotLauncher(host), host.concurrency, host.clock, host.log);
  }
}

export function oneShotLauncher(host: PowershellHost): OperationLauncher {
  return { start: (request) => startOneShot(host, request), close: async () => {} };
}

function startOneShot(host: PowershellHost, request: OperationRequest): RunningOperation {
  const script = host.scripts.scriptOf(request.op);
  const log = host.log.v(8);
  logScript(host.log, "Starting PowerShell", request.op, script);
  const output = new Output(() => {
    if (!request.mutates) child.kill();
  });
  const child = startPowershell(
    {
      path: host.path,
      script,
      env: childEnvironment(host.env, { ...request.params, [operationVariable]: request.op }, host.platform),
      hasInput: false,
      onOutput: (chunk) => output.push(chunk),
    },
    host.clock,
  );
  const reply = child.ended.then((end) => {
    const { envelope, noise } = output.read();
    if (noise && log.enabled) log.info("PowerShell printed more than its answer", { op: request.op, output: request.redact(noise) });
    return answerOf(request, child, end, output.isFull ? undefined : envelope, output.isFull);
  });
  return { reply, ended: child.ended.then(() => {}), kill: () => child.kill() };
}

function answerOf(
  { op, redact }: OperationRequest,
  child: PowershellProcess,
  end: ProcessEnd,
  envelope: Envelope | undefined,
  isFlood: boolean,
): Envelope {
  if ("notStarted" in end) throw notStarted(end.notStarted);
  const { exitCode, signal } = end;
  if (envelope && exitCode === 0) return envelope;
  const how = exitCode === null ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  const problem = isFlood ? `powershell printed more than ${outputLimit / 1024 / 1024} MiB and ${how}` : `powershell ${how}`;
  const why = envelope || exitCode !== 0 || isFlood ? problem : `${problem} and without an answer`;
  const stderr = child.stderr.shown(redact);
  throw new CsiProxyError("Internal", [`${op}: ${why}`, ...(stderr ? [stderr] : [])].join(": "), { op });
}

/** What a process printed: the last line that is not empty is the answer, the lines before it are noise. */
class Output {
  isFull = false;
  readonly #onFull: () => void;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(onFull: () => void) {
    this.#onFull = onFull;
  }

  push(chunk: Buffer): void {
    if (this.isFull) return;
    this.#length += chunk.length;
    this.#parts.push(chunk);
    if (this.#length <= outputLimit) return;
    this.isFull = true;
    this.#parts = [];
    this.#onFull();
  }

  read(): { readonly envelope: Envelope | undefined; readonly noise: string } {
    const text = Buffer.concat(this.#parts).toString("utf8").trim();
    const lastLine = text.slice(text.lastIndexOf("\n") + 1);
    const envelope = envelopeOf(parseJsonLine(lastLine));
    return { envelope, noise: envelope ? text.slice(0, text.length - lastLine.length).trim() : text };
  }
}
