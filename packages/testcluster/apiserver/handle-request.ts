import { messageOf } from "@csi-sidecars/base";
import { StatusError } from "@csi-sidecars/kube";
import { type Kind, subresourcesOf } from "../kinds/kind.ts";
import { schemaNameOf } from "../kinds/schemas.ts";
import type { User } from "../rules/authorize.ts";
import { internal, methodNotAllowed, unauthorized, unknownResource } from "../rules/status.ts";
import { authenticate } from "./access/authenticate.ts";
import { actingUser } from "./access/impersonate.ts";
import type { Policy } from "./access/policy.ts";
import { faultStatus } from "./fault-status.ts";
import type { FaultAction, Faults } from "./faults.ts";
import type { Exchange } from "./http/exchange.ts";
import type { World } from "./objects/world.ts";
import type { RecordedRequest, RequestLog } from "./request-log.ts";
import { absentSubresource } from "./rest/absent-subresources.ts";
import { type Answer, jsonAnswer, jsonHeaders, pageNotFound, statusAnswer } from "./rest/answer.ts";
import { listOptions } from "./rest/list-options.ts";
import { isOwnGroup } from "./rest/own-groups.ts";
import { readJson } from "./rest/read-body.ts";
import { type RequestInfo, requestInfo } from "./rest/request-info.ts";
import { type ResponseForm, responseForm } from "./rest/response-form.ts";
import { findReview, reviewed } from "./rest/reviews.ts";
import { selectionOf } from "./rest/selection.ts";
import { serveObjects } from "./rest/serve-objects.ts";
import { servePath } from "./rest/serve-path.ts";
import { serveWatch } from "./rest/watch.ts";
import { watchEncoding } from "./rest/watch-encoding.ts";
import type { Watches } from "./watches.ts";

/** What a request meets on its way through the server. */
export interface RequestPath {
  readonly world: World;
  readonly tokens: ReadonlyMap<string, User>;
  readonly policy: Policy;
  readonly faults: Faults;
  readonly log: RequestLog & { add(request: RecordedRequest): void };
  readonly watches: Watches;
  /** Host and port, for discovery. */
  readonly address: () => string;
}

/** Everything that is known of a request before it is carried out. */
interface Arrived {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** `undefined` when the credentials were wrong. */
  readonly user: User | undefined;
  readonly record: RecordedRequest;
}

/** Authenticates, records, meets a fault if there is one, authorizes, carries out, answers: in this order. */
export function handleRequest(server: RequestPath, exchange: Exchange): void {
  const { target, method, headers } = exchange.request;
  const question = target.indexOf("?");
  const path = question < 0 ? target : target.slice(0, question);
  const rawQuery = question < 0 ? "" : target.slice(question + 1);
  const query = new URLSearchParams(rawQuery);
  const info = requestInfo(method, path, query);
  const user = authenticate(exchange, server.tokens);
  const record: RecordedRequest = {
    user: user?.name ?? "",
    ...factsOf(info),
    path,
    query: rawQuery,
    userAgent: headers.get("user-agent") ?? "",
    watch: info.verb === "watch",
    at: server.world.clock.now(),
    code: 0,
  };
  server.log.add(record);
  const fault = server.faults.take(record);
  const arrived: Arrived = { exchange: recording(exchange, record, fault?.do === "dropAnswer"), info, query, user, record };
  if (fault?.do === "refuse") exchange.cut();
  else if (fault?.do === "status") send(arrived.exchange, statusAnswer(faultStatus(fault).status));
  else if (fault?.do === "delay") server.world.clock.after(fault.ms, () => carryOut(server, arrived, undefined));
  else carryOut(server, arrived, fault);
}

/** As much as etcd takes twice over: the limit of the real server. */
const largestBody = 3 * 1024 * 1024;

const bodyTooLarge = () =>
  new StatusError({
    status: "Failure",
    message: `Request entity too large: limit is ${largestBody}`,
    reason: "RequestEntityTooLarge",
    code: 413,
  });

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function carryOut(server: RequestPath, arrived: Arrived, fault: FaultAction | undefined): void {
  try {
    if (!arrived.user) throw unauthorized();
    if (!methods.includes(arrived.exchange.request.method)) throw methodNotAllowed();
    if (arrived.exchange.request.body.length > largestBody) throw bodyTooLarge();
    const user = actingUser(arrived.user, arrived.exchange.request.headers, server.policy);
    server.policy.check(user, arrived.info);
    const answer = serve(server, arrived, user, fault);
    if (answer) send(arrived.exchange, answer);
  } catch (error) {
    const known = error instanceof StatusError ? error : internal(messageOf(error));
    send(arrived.exchange, statusAnswer(known.status));
  }
}

/** The answer; `undefined` when a watch has taken over. */
function serve(server: RequestPath, arrived: Arrived, user: User, fault: FaultAction | undefined): Answer | undefined {
  const { info, query } = arrived;
  const { request } = arrived.exchange;
  if (info.kind === "path") return servePath(info, request.headers.get("accept"), server.world.kinds.all(), server.address());
  const review = findReview(info.group, info.version, info.resource);
  if (review && info.verb !== "create") throw methodNotAllowed();
  if (review) {
    const question = readJson(request, { kind: review.kind, schemaName: () => schemaNameOf(review) });
    return jsonAnswer(201, JSON.stringify(reviewed(review, question, user, server.policy.current, server.world.clock.now())));
  }

  const kind = server.world.kinds.find(info.group, info.version, info.resource);
  if (!kind && !isOwnGroup(info.group)) return pageNotFound;
  if (!kind) throw unknownResource();
  if (info.subresource !== undefined && !subresourcesOf(kind).includes(info.subresource)) {
    throw absentSubresource(kind.plural, info.subresource, info.name);
  }
  const form = responseForm(request.headers.get("accept"));
  const overtaken = fault?.do === "overtakeDelete";
  if (info.verb !== "watch") {
    const warnings = kind.deprecation ? [kind.deprecation] : [];
    const warn = (text: string) => void warnings.push(text);
    return withWarnings(
      serveObjects({ world: server.world, request, info, kind, query, user, form, warn, overtaken }, info.verb),
      warnings,
    );
  }
  watch(server, arrived, kind, kind.namespaced ? info.namespace : undefined, form, fault);
  return undefined;
}

function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  if (warnings.length === 0) return answer;
  const text = [...new Set(warnings)].map((warning) => `299 - ${JSON.stringify(warning)}`).join(", ");
  return { ...answer, headers: { ...answer.headers, Warning: text } };
}

function watch(
  { world, watches }: RequestPath,
  { exchange, query, record }: Arrived,
  kind: Kind,
  namespace: string | undefined,
  form: ResponseForm,
  fault: FaultAction | undefined,
): void {
  const options = listOptions(query, true);
  const selection = selectionOf(kind, namespace, options);
  const encode = watchEncoding(form, kind, query, world.clock);
  const open = () => exchange.stream(200, jsonHeaders);
  // The real server finds out at the first event that an object is no list, and says no more.
  if (form.as === "metadata" && form.of === "list") {
    open().end();
    return;
  }
  watches.serve(record, fault?.do === "cutWatch" ? fault : undefined, (on) =>
    serveWatch({ world, kind, selection, options, encode, open, on }),
  );
}

function factsOf(info: RequestInfo): Pick<RecordedRequest, "verb" | "group" | "resource" | "subresource" | "namespace" | "name"> {
  if (info.kind === "path") return { verb: info.verb, group: "", resource: "", subresource: "", namespace: "", name: "" };
  const { verb, group, resource, subresource = "", namespace = "", name = "" } = info;
  return { verb, group, resource, subresource, namespace, name };
}

/** The exchange with the answer's code written down, and with the answer lost on the way if so wanted. */
function recording(exchange: Exchange, record: RecordedRequest, loseAnswer: boolean): Exchange {
  return {
    request: exchange.request,
    peer: exchange.peer,
    answer(code, headers, body) {
      if (loseAnswer) exchange.cut();
      else {
        record.code = code;
        exchange.answer(code, headers, body);
      }
    },
    stream(code, headers) {
      record.code = code;
      return exchange.stream(code, headers);
    },
    cut: () => exchange.cut(),
  };
}

function send(exchange: Exchange, { code, headers, body }: Answer): void {
  exchange.answer(code, headers, body);
}
