import type { JsonObject } from "../../rules/json.ts";
import {
  type AccessRequest,
  authorize,
  type ClusterRole,
  type RbacPolicy,
  type Role,
  type RoleBinding,
  type User,
} from "../../rules/rbac/authorize.ts";
import type { Store } from "../store/store.ts";

const rbac = (plural: string) => `${plural}.rbac.authorization.k8s.io`;
const tables = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(rbac);
const mostDecisions = 10_000;

/** Authorizes by the stored roles and bindings; caches decisions until one of them changes. */
export class RbacAuthorizer {
  readonly #store: Store;
  #version = -1;
  #current: RbacPolicy = { clusterRoles: [], clusterRoleBindings: [], roles: [], roleBindings: [] };
  readonly #allowed = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  get current(): RbacPolicy {
    const version = Math.max(...tables.map((name) => this.#store.table(name).version));
    if (version !== this.#version) {
      this.#version = version;
      this.#allowed.clear();
      const all = (plural: string) => [...this.#store.table(rbac(plural)).values()].map(({ object }) => object);
      this.#current = {
        clusterRoles: all("clusterroles").filter(isRole),
        clusterRoleBindings: all("clusterrolebindings").filter(isBinding),
        roles: all("roles").filter(isRole),
        roleBindings: all("rolebindings").filter(isBinding),
      };
    }
    return this.#current;
  }

  /** Throws the 403 unless the request is allowed. */
  check(user: User, request: AccessRequest): void {
    if (user.groups.includes("system:masters")) return;
    const policy = this.current;
    const decision = JSON.stringify([user, request]);
    if (this.#allowed.has(decision)) return;
    authorize(user, request, policy);
    if (this.#allowed.size >= mostDecisions) this.#allowed.clear();
    this.#allowed.add(decision);
  }
}

const isRole = (object: JsonObject): object is JsonObject & Role & ClusterRole =>
  object.rules === undefined || object.rules === null || Array.isArray(object.rules);

const isBinding = (object: JsonObject): object is JsonObject & RoleBinding => typeof object.roleRef === "object" && object.roleRef !== null;
