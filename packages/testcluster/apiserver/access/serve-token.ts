import type { Kind } from "../../kinds/kind.ts";
import { serviceAccountUser } from "../../rules/rbac/authorize.ts";
import { methodNotAllowed, notFound } from "../../rules/status.ts";
import type { HttpRequest } from "../http/http1.ts";
import { readJson } from "../rest/read-body.ts";
import type { ResourceRequest } from "../rest/request-info.ts";
import { type HttpResponse, jsonResponse } from "../rest/response.ts";
import { issueToken, tokenBody } from "../rest/token-request.ts";
import { type ServerState, tableOf } from "../server-state.ts";
import { storageKey } from "../store/revision.ts";
import type { Tokens } from "./tokens.ts";

/** What the `token` subresource of service accounts is served with. */
interface TokenContext {
  readonly state: ServerState;
  readonly tokens: Tokens;
}

/** Answers a TokenRequest, and accepts the token from now on. */
export function serveToken({ state, tokens }: TokenContext, request: HttpRequest, info: ResourceRequest, kind: Kind): HttpResponse {
  const { verb, namespace = "", name = "" } = info;
  if (verb !== "create") throw methodNotAllowed();
  const account = tableOf(state, kind).get(storageKey(namespace, name));
  if (!account) throw notFound(kind, name);
  const { token, expiresAt, answer } = issueToken(account.object, readJson(request, tokenBody), state.clock.now());
  tokens.add(token, serviceAccountUser(namespace, name), expiresAt);
  return jsonResponse(201, JSON.stringify(answer));
}
