import type { Clock, Logger } from "@csi-sidecars/base";
import { Code, GrpcError, type HandlerContext, type MessageType, sanitize } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import type { BackgroundWork } from "../faults/background-work.ts";
import type { HeldCalls } from "../faults/held-calls.ts";
import { patchResponse } from "../faults/patch-response.ts";
import type { FaultAction, FaultError } from "../faults/rule.ts";
import type { RuleBook } from "../faults/rule-book.ts";
import type { RuleFile } from "../faults/rule-file.ts";
import { refuse } from "../refuse.ts";
import type { Latency } from "../script/scripted.ts";
import { checkSecrets } from "../secret-rules.ts";
import type { CallLog } from "./call-log.ts";
import type { CallRecord } from "./call-record.ts";
import { protoView } from "./proto-view.ts";

/** What stands between the wire and the services: records, secrets, faults. */
export interface Desk {
  readonly backend: Backend;
  readonly calls: CallLog;
  readonly rules: RuleBook;
  readonly ruleFile: RuleFile | undefined;
  readonly held: HeldCalls;
  readonly background: BackgroundWork;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends everything at once; the call is never answered. */
  crash(code: number): void;
}

/** A call on its way through the desk. */
export interface Call {
  readonly name: string;
  readonly requestType: MessageType;
  readonly responseType: MessageType;
  readonly request: object;
  readonly context: HandlerContext;
}

/** Carries out a unary call: with its record, its faults, and an error of the CSI specification for every failure. */
export async function performUnary(desk: Desk, call: Call, work: () => unknown): Promise<object> {
  const { entry, applied, before, after, finish } = await open(desk, call);
  try {
    await before();
    const action = applied?.rule.action;
    if (action?.background) desk.background.pass(call.name, protoView(call.request), action.background, work);
    const done = (await work()) as object;
    await after();
    const response = action?.patchResponse ? patchResponse(done, action.patchResponse) : done;
    finish(entry, response);
    return response;
  } catch (error) {
    throw finish(entry, error);
  }
}

/** Carries out a call whose answer is a stream; a client that goes away in the middle ends it. */
export async function* performStream(desk: Desk, call: Call, work: () => AsyncIterable<object>): AsyncGenerator<object> {
  const { entry, applied, before, after, finish } = await open(desk, call);
  const cut = applied?.rule.action.corruptStream;
  let ended = false;
  try {
    await before();
    let sent = 0;
    for await (const message of work()) {
      if (cut && sent >= cut.messages) refuse(cut.code, cut.message ?? "the stream was cut off");
      sent++;
      yield message;
    }
    if (cut) refuse(cut.code, cut.message ?? "the stream was cut off");
    await after();
    ended = true;
    finish(entry, {});
  } catch (error) {
    ended = true;
    throw finish(entry, error);
  } finally {
    if (!ended) finish(entry, new GrpcError(Code.Canceled, "the client is gone"));
  }
}

async function open(desk: Desk, call: Call) {
  const { name, request, context } = call;
  const view = protoView(request);
  const { timeoutMs, connection } = context;
  const entry = desk.calls.begin({ method: name, request: view, timeoutMs, connection: connection.number });
  await desk.ruleFile?.refresh();
  const applied = desk.rules.take(name, view);
  const phase = applied?.rule.phase ?? "before";
  let heldUntil: CallRecord["held"];
  const disturb = async (action: FaultAction) => {
    if (action.delayMs) await desk.clock.sleep(action.delayMs, context.signal);
    if (action.hang) heldUntil = await desk.held.hold(entry.sequence, context.signal);
    if (heldUntil && heldUntil !== "released") refuse("Canceled", `the client is gone: ${heldUntil}`);
    if (action.crash !== undefined) {
      desk.crash(action.crash);
      refuse("Unavailable", "the driver crashed");
    }
    if (action.dropConnection) {
      context.connection.destroy();
      refuse("Unavailable", "the connection was dropped");
    }
    if (action.error) fail(action.error);
  };
  logStart(desk, call);
  return {
    entry,
    applied,
    async before() {
      checkSecrets(desk.backend.settings.secretsRequired, name, request);
      const latency = desk.backend.scripted.latency.get(name);
      if (latency !== undefined) await desk.clock.sleep(drawn(latency, desk.backend.random), context.signal);
      if (applied && phase === "before") await disturb(applied.rule.action);
    },
    async after() {
      if (applied && phase === "after") await disturb(applied.rule.action);
    },
    /** Records how the call ended; gives the error that the client is to see. */
    finish(record: CallRecord, result: object | unknown): GrpcError | undefined {
      const failure = result instanceof Error ? asStatus(result) : undefined;
      const answer = failure ? undefined : (result as object);
      const { code, details } = failure ?? { code: 0, details: undefined };
      const cancelled = context.signal.aborted || undefined;
      desk.calls.end(record, { code, message: details, rule: applied?.name, held: heldUntil, cancelled }, answer);
      logEnd(desk, call, view, failure, result as object);
      return failure;
    },
  };
}

const fail = ({ code, message }: FaultError) => refuse(code, message ?? `injected ${code}`);

const drawn = (latency: Latency, random: () => number) =>
  typeof latency === "number" ? latency : latency[0] + random() * (latency[1] - latency[0]);

/** Every failure has a code: what nobody foresaw is INTERNAL. */
function asStatus(error: Error): GrpcError {
  if (error instanceof GrpcError) return error;
  const reasons: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (!reasons.includes(cause.message)) reasons.push(cause.message);
  return new GrpcError(Code.Internal, reasons.join(": "), { cause: error });
}

function logStart({ log }: Desk, { name, request, requestType, context }: Call): void {
  const line = log.v(name === "Probe" ? 5 : 3);
  if (!line.enabled) return;
  line.info(`GRPC call: ${context.path}`);
  const detail = log.v(5);
  if (detail.enabled) detail.info(`GRPC request: ${sanitize(request, requestType)}`);
}

/** Kubernetes' own tests read the last of these lines, secrets included: it is for a test driver at verbosity 5 only. */
function logEnd({ log }: Desk, call: Call, request: object, failure: GrpcError | undefined, response: object): void {
  if (failure) log.error(failure, "GRPC error", { method: call.context.path });
  const detail = log.v(5);
  if (!detail.enabled) return;
  if (!failure) detail.info(`GRPC response: ${sanitize(response, call.responseType)}`);
  const record = {
    Method: call.context.path,
    Request: request,
    Response: failure ? null : protoView(response),
    Error: failure ? failure.message : "",
    FullError: failure ? { code: failure.code, message: failure.details } : null,
  };
  detail.info(`gRPCCall: ${JSON.stringify(record)}`);
}
