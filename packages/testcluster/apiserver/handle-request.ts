import { messageOf } from "@csi-sidecars/base";
import { StatusError } from "@csi-sidecars/kube";
import { type Kind, subresourcesOf } from "../kinds/kind.ts";
import { schemaNameOf } from "../kinds/schemas.ts";
import type { User } from "../rules/rbac/authorize.ts";
import { internal, methodNotAllowed, unauthorized, unknownResource } from "../rules/status.ts";
import { authenticate, impersonatedUser } from "./access/authentication.ts";
import type { RbacAuthorizer } from "./access/rbac-authorizer.ts";
import { serveToken } from "./access/serve-token.ts";
import type { Tokens } from "./access/tokens.ts";
import { metricsResponse } from "./discovery/metrics.ts";
import { servePath } from "./discovery/non-resource-urls.ts";
import { isBuiltInGroup } from "./discovery/served-resources.ts";
import { type FaultAction, type Faults, faultStatus } from "./faults.ts";
import type { Exchange } from "./http/connection.ts";
import type { RecordedRequest, RequestLog } from "./request-log.ts";
import { type ResponseForm, responseForm } from "./rest/negotiation.ts";
import { readJson } from "./rest/read-body.ts";
import { type RequestInfo, type ResourceRequest, requestInfo } from "./rest/request-info.ts";
import { listOptions } from "./rest/request-options.ts";
import { type HttpResponse, jsonHeaders, jsonResponse, pageNotFound, statusResponse, unservedSubresource } from "./rest/response.ts";
import { findReview, reviewed } from "./rest/reviews.ts";
import { selectionOf } from "./rest/selection.ts";
import { serveObjects } from "./rest/serve-objects.ts";
import { serveWatch } from "./rest/watch.ts";
import { watchEncoding } from "./rest/watch-encoding.ts";
import type { ServerState } from "./server-state.ts";
import type { Watches } from "./watches.ts";

/** What serving a request takes. */
interface ServerContext {
  readonly state: ServerState;
  readonly tokens: Tokens;
  readonly policy: RbacAuthorizer;
  readonly faults: Faults;
  readonly log: RequestLog & { add(request: RecordedRequest): void };
  readonly watches: Watches;
  /** Host and port, for discovery. */
  readonly address: () => string;
}

/** A request before it is served. */
interface ReceivedRequest {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  /** `undefined` when the credentials were wrong. */
  readonly user: User | undefined;
  readonly record: RecordedRequest;
}

/** Authenticates, records, applies a fault, authorizes, serves and responds, in this order. */
export function handleRequest(server: ServerContext, exchange: Exchange): void {
  const { target, method, headers } = exchange.request;
  const question = target.indexOf("?");
  const path = question < 0 ? target : target.slice(0, question);
  const rawQuery = question < 0 ? "" : target.slice(question + 1);
  const query = new URLSearchParams(rawQuery);
  const info = requestInfo(method, path, query);
  const user = authenticate(exchange, server.tokens, server.state.clock.now());
  const record: RecordedRequest = {
    user: user?.name ?? "",
    ...factsOf(info),
    path,
    query: rawQuery,
    userAgent: headers.get("user-agent") ?? "",
    watch: info.verb === "watch",
    at: server.state.clock.now(),
    code: 0,
  };
  server.log.add(record);
  const fault = server.faults.take(record);
  const received: ReceivedRequest = { exchange: recording(exchange, record, fault?.do === "dropResponse"), info, query, user, record };
  if (fault?.do === "refuse") exchange.cut();
  else if (fault?.do === "status") send(received.exchange, statusResponse(faultStatus(fault).status));
  else if (fault?.do === "delay") server.state.clock.after(fault.ms, () => execute(server, received, undefined));
  else execute(server, received, fault);
}

/** The limit of the real server: twice what etcd accepts. */
const largestBody = 3 * 1024 * 1024;

const bodyTooLarge = () =>
  new StatusError({
    status: "Failure",
    message: `Request entity too large: limit is ${largestBody}`,
    reason: "RequestEntityTooLarge",
    code: 413,
  });

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function execute(server: ServerContext, received: ReceivedRequest, fault: FaultAction | undefined): void {
  try {
    if (!received.user) throw unauthorized();
    if (!methods.includes(received.exchange.request.method)) throw methodNotAllowed();
    if (received.exchange.request.body.length > largestBody) throw bodyTooLarge();
    const user = impersonatedUser(received.user, received.exchange.request.headers, server.policy);
    server.policy.check(user, received.info);
    const response = serve(server, received, user, fault);
    if (response) send(received.exchange, response);
  } catch (error) {
    const known = error instanceof StatusError ? error : internal(messageOf(error));
    send(received.exchange, statusResponse(known.status));
  }
}

/** The response; `undefined` when a watch has taken over the connection. */
function serve(server: ServerContext, received: ReceivedRequest, user: User, fault: FaultAction | undefined): HttpResponse | undefined {
  const { info, query } = received;
  const { request } = received.exchange;
  if (info.kind === "path" && info.path === "/metrics") return metricsResponse(server.state, server.watches.count);
  if (info.kind === "path") return servePath(info, request.headers.get("accept"), server.state.kinds.all(), server.address());
  const review = findReview(info.group, info.version, info.resource);
  if (review && info.verb !== "create") throw methodNotAllowed();
  if (review) {
    const question = readJson(request, { kind: review.kind, schemaName: () => schemaNameOf(review) });
    return jsonResponse(201, JSON.stringify(reviewed(review, question, user, server.policy.current, server.state.clock.now())));
  }

  const found = server.state.kinds.find(info.group, info.version, info.resource);
  const kind = found && isMisplaced(found, info) ? undefined : found;
  if (!kind && !isBuiltInGroup(info.group)) return pageNotFound;
  if (!kind) throw unknownResource();
  if (info.subresource !== undefined && !subresourcesOf(kind).includes(info.subresource)) {
    throw unservedSubresource(kind.plural, info.subresource, info.name);
  }
  if (info.subresource === "token") return serveToken(server, request, info, kind);
  const form = responseForm(request.headers.get("accept"));
  const ignoreFinalizers = fault?.do === "ignoreFinalizers";
  if (info.verb !== "watch") {
    const warnings = kind.deprecation ? [kind.deprecation] : [];
    const warn = (text: string) => void warnings.push(text);
    return withWarnings(
      serveObjects({ state: server.state, request, info, kind, query, user, form, warn, ignoreFinalizers }, info.verb),
      warnings,
    );
  }
  watch(server, received, kind, kind.namespaced ? info.namespace : undefined, form, fault);
  return undefined;
}

/** Objects of the whole cluster are in no namespace. */
function isMisplaced({ namespaced, plural }: Kind, { namespace }: ResourceRequest): boolean {
  return !namespaced && namespace !== undefined && plural !== "namespaces";
}

function withWarnings(response: HttpResponse, warnings: readonly string[]): HttpResponse {
  if (warnings.length === 0) return response;
  const text = [...new Set(warnings)].map((warning) => `299 - ${JSON.stringify(warning)}`).join(", ");
  return { ...response, headers: { ...response.headers, Warning: text } };
}

function watch(
  { state, watches }: ServerContext,
  { exchange, query, record }: ReceivedRequest,
  kind: Kind,
  namespace: string | undefined,
  form: ResponseForm,
  fault: FaultAction | undefined,
): void {
  const options = listOptions(query, true, state.watchList);
  const selection = selectionOf(kind, namespace, options);
  const encode = watchEncoding(form, kind, query, state.clock);
  const open = () => exchange.stream(200, jsonHeaders);
  // The real server notices at the first event that an object is not a list, and ends the stream.
  if (form.as === "metadata" && form.of === "list") {
    open().end();
    return;
  }
  watches.serve(record, fault?.do === "cutWatch" ? fault : undefined, (on) =>
    serveWatch({ state, kind, selection, options, encode, open, on }),
  );
}

function factsOf(info: RequestInfo): Pick<RecordedRequest, "verb" | "group" | "resource" | "subresource" | "namespace" | "name"> {
  if (info.kind === "path") return { verb: info.verb, group: "", resource: "", subresource: "", namespace: "", name: "" };
  const { verb, group, resource, subresource = "", namespace = "", name = "" } = info;
  return { verb, group, resource, subresource, namespace, name };
}

/** The exchange, recording the status code of the response; with `loseResponse` the response is never sent. */
function recording(exchange: Exchange, record: RecordedRequest, loseResponse: boolean): Exchange {
  return {
    request: exchange.request,
    peer: exchange.peer,
    respond(code, headers, body) {
      if (loseResponse) exchange.cut();
      else {
        record.code = code;
        exchange.respond(code, headers, body);
      }
    },
    stream(code, headers) {
      record.code = code;
      return exchange.stream(code, headers);
    },
    cut: () => exchange.cut(),
  };
}

function send(exchange: Exchange, { code, headers, body }: HttpResponse): void {
  exchange.respond(code, headers, body);
}
