import { serviceAccountUser, type User } from "../../rules/rbac/authorize.ts";
import type { Exchange } from "../http/connection.ts";
import type { RbacAuthorizer } from "./rbac-authorizer.ts";
import type { Tokens } from "./tokens.ts";

/** The user of a request, by token or else by certificate. Without credentials it is the anonymous user, with wrong ones `undefined`. */
export function authenticate(exchange: Exchange, tokens: Tokens, now: number): User | undefined {
  const [, token] = /^bearer +(\S+)/i.exec(exchange.request.headers.get("authorization") ?? "") ?? [];
  if (token !== undefined) return tokens.userOf(token, now);
  switch (exchange.peer.certificate) {
    case "trusted":
      return authenticated(exchange.peer.subject.commonName, exchange.peer.subject.organizations);
    case "untrusted":
      return undefined;
    case "none":
      return anonymous;
  }
}

/** The user that a request impersonates (`kubectl --as`), if the user is allowed to. */
export function impersonatedUser(user: User, headers: ReadonlyMap<string, string>, policy: RbacAuthorizer): User {
  const name = headers.get("impersonate-user");
  if (name === undefined) return user;
  const groups = (headers.get("impersonate-group") ?? "").split(", ").filter((group) => group !== "");
  const impersonate = (resource: string, wanted: string, namespace?: string) =>
    policy.check(user, { verb: "impersonate", group: "", resource, name: wanted, ...(namespace !== undefined && { namespace }) });
  for (const group of groups) impersonate("groups", group);
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
  if (namespace === undefined || account === undefined) {
    impersonate("users", name);
    return authenticated(name, groups);
  }
  impersonate("serviceaccounts", account, namespace);
  const own = serviceAccountUser(namespace, account);
  return groups.length === 0 ? own : authenticated(name, groups);
}

const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Every authenticated user is also in this group. */
export const authenticated = (name: string, groups: readonly string[]): User => ({
  name,
  groups: groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"],
});
