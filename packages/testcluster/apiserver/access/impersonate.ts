import { serviceAccountUser, type User } from "../../rules/authorize.ts";
import type { Policy } from "./policy.ts";
import { authenticated } from "./user.ts";

/** Whom a request acts as: `kubectl --as` names somebody else, which the user must be allowed to. */
export function actingUser(user: User, headers: ReadonlyMap<string, string>, policy: Policy): User {
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
