import { type Clock, type Logger, ownValue } from "@csi-sidecars/base";
import {
  Code,
  GrpcError,
  type HandlerContext,
  type MessageType,
  type ServiceDefinition,
  type ServiceHandlers,
  sanitize,
} from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import type { BackgroundWork } from "../faults/background-work.ts";
import type { FaultAction, FaultError, FaultRules } from "../faults/fault-rules.ts";
import type { HeldCalls } from "../faults/held-calls.ts";
import { patchResponse } from "../faults/patch-response.ts";
import type { RuleFile } from "../faults/rule-file.ts";
import { refuse } from "../refuse.ts";
import type { Latency } from "../script/scripted.ts";
import type { SecretRules } from "../settings.ts";
import type { CallLog } from "./call-log.ts";
import type { CallRecord } from "./call-record.ts";
import { protoJson } from "./proto-json.ts";

type AnyHandler = (request: object, context: HandlerContext) => unknown;

/** Wraps the handlers of a service so that each call is recorded, checked for secrets and subject to fault rules. */
export function interceptCalls<S extends ServiceDefinition>(
  interceptor: CallInterceptor,
  service: S,
  handlers: ServiceHandlers<S>,
): ServiceHandlers<S> {
  const byKey = handlers as Readonly<Record<string, AnyHandler | undefined>>;
  const wrapped = Object.entries(service.methods).flatMap(([key, method]) => {
    const handler = ownValue(byKey, key);
    if (!handler) return [];
    const callOf = (request: object, context: HandlerContext): Call => ({
      name: method.name,
      requestType: method.requestType.$type ?? "",
      responseType: method.responseType.$type ?? "",
      request,
      context,
    });
    const unary: AnyHandler = (request, context) => performUnary(interceptor, callOf(request, context), () => handler(request, context));
    const stream: AnyHandler = (request, context) =>
      performStream(interceptor, callOf(request, context), () => handler(request, context) as AsyncIterable<object>);
    return [[key, method.responseStream ? stream : unary] as const];
  });
  return { ...handlers, ...Object.fromEntries(wrapped) };
}

/** What the interceptor of all calls works with. */
export interface CallInterceptor {
  readonly backend: Backend;
  readonly calls: CallLog;
  readonly rules: FaultRules;
  readonly ruleFile: RuleFile | undefined;
  readonly held: HeldCalls;
  readonly background: BackgroundWork;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the driver at once; the call is never answered. */
  crash(code: number): void;
}

/** A call and the method that it is for. */
interface Call {
  readonly name: string;
  readonly requestType: MessageType;
  readonly responseType: MessageType;
  readonly request: object;
  readonly context: HandlerContext;
}

/** Runs a unary call with its record and its faults; every failure becomes a gRPC status. */
async function performUnary(interceptor: CallInterceptor, call: Call, work: () => unknown): Promise<object> {
  const { entry, applied, before, after, finish } = await open(interceptor, call);
  try {
    await before();
    const action = applied?.rule.action;
    if (action?.background) interceptor.background.pass(call.name, protoJson(call.request), action.background, work);
    const done = (await work()) as object;
    await after();
    const response = action?.patchResponse ? patchResponse(done, action.patchResponse) : done;
    finish(entry, response);
    return response;
  } catch (error) {
    throw finish(entry, error);
  }
}

/** Runs a server-streaming call; it ends when the client goes away. */
async function* performStream(interceptor: CallInterceptor, call: Call, work: () => AsyncIterable<object>): AsyncGenerator<object> {
  const { entry, applied, before, after, finish } = await open(interceptor, call);
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

async function open(interceptor: CallInterceptor, call: Call) {
  const { name, request, context } = call;
  const view = protoJson(request);
  const { timeoutMs, connection } = context;
  const entry = interceptor.calls.begin({ method: name, request: view, timeoutMs, connection: connection.number });
  await interceptor.ruleFile?.refresh();
  const applied = interceptor.rules.take(name, view);
  const phase = applied?.rule.phase ?? "before";
  let heldUntil: CallRecord["held"];
  const injectFault = async (action: FaultAction) => {
    if (action.delayMs) await interceptor.clock.sleep(action.delayMs, context.signal);
    if (action.hang) heldUntil = await interceptor.held.hold(entry.sequence, context.signal);
    if (heldUntil && heldUntil !== "released") refuse("Canceled", `the client is gone: ${heldUntil}`);
    if (action.crash !== undefined) {
      interceptor.crash(action.crash);
      refuse("Unavailable", "the driver crashed");
    }
    if (action.dropConnection) {
      context.connection.destroy();
      refuse("Unavailable", "the connection was dropped");
    }
    if (action.error) fail(action.error);
  };
  logStart(interceptor, call);
  return {
    entry,
    applied,
    async before() {
      checkSecrets(interceptor.backend.settings.secretsRequired, name, request);
      const latency = interceptor.backend.scripted.latency.get(name);
      if (latency !== undefined) await interceptor.clock.sleep(latencyMs(latency, interceptor.backend.random), context.signal);
      if (applied && phase === "before") await injectFault(applied.rule.action);
    },
    async after() {
      if (applied && phase === "after") await injectFault(applied.rule.action);
    },
    /** Records how the call ended; returns the error for the client. */
    finish(record: CallRecord, result: object | unknown): GrpcError | undefined {
      const failure = result instanceof Error ? asStatus(result) : undefined;
      const answer = failure ? undefined : (result as object);
      const { code, details } = failure ?? { code: 0, details: undefined };
      const cancelled = context.signal.aborted || undefined;
      interceptor.calls.end(record, { code, message: details, rule: applied?.name, held: heldUntil, cancelled }, answer);
      logEnd(interceptor, call, view, failure, result as object);
      return failure;
    },
  };
}

const fail = ({ code, message }: FaultError) => refuse(code, message ?? `injected ${code}`);

const latencyMs = (latency: Latency, random: () => number) =>
  typeof latency === "number" ? latency : latency[0] + random() * (latency[1] - latency[0]);

/** Every failure has a code: an unexpected one is INTERNAL. */
function asStatus(error: Error): GrpcError {
  if (error instanceof GrpcError) return error;
  const reasons: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (!reasons.includes(cause.message)) reasons.push(cause.message);
  return new GrpcError(Code.Internal, reasons.join(": "), { cause: error });
}

function logStart({ log }: CallInterceptor, { name, request, requestType, context }: Call): void {
  const line = log.v(name === "Probe" ? 5 : 3);
  if (!line.enabled) return;
  line.info(`GRPC call: ${context.path}`);
  const detail = log.v(5);
  if (detail.enabled) detail.info(`GRPC request: ${sanitize(request, requestType)}`);
}

/** Kubernetes' e2e tests parse the `gRPCCall:` line, secrets included: it is for a test driver at verbosity 5 only. */
function logEnd({ log }: CallInterceptor, call: Call, request: object, failure: GrpcError | undefined, response: object): void {
  if (failure) log.error(failure, "GRPC error", { method: call.context.path });
  const detail = log.v(5);
  if (!detail.enabled) return;
  if (!failure) detail.info(`GRPC response: ${sanitize(response, call.responseType)}`);
  const record = {
    Method: call.context.path,
    Request: request,
    Response: failure ? null : protoJson(response),
    Error: failure ? failure.message : "",
    FullError: failure ? { code: failure.code, message: failure.details } : null,
  };
  detail.info(`gRPCCall: ${JSON.stringify(record)}`);
}

/** Refuses a call whose secrets are missing or wrong. Messages never contain a secret. */
function checkSecrets(rules: SecretRules, method: string, request: object): void {
  const expected = ownValue(rules, method);
  if (!expected) return;
  const given: Readonly<Record<string, string>> = "secrets" in request ? (request.secrets as Record<string, string>) : {};
  if (Object.keys(given).length === 0) refuse("InvalidArgument", "secret must be provided");
  if (Object.entries(expected).some(([key, value]) => ownValue(given, key) !== value)) refuse("Unauthenticated", "authentication failed");
}
