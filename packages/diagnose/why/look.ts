import { messageWithCause } from "@csi-sidecars/base";
import {
  type Client,
  groupResourceOf,
  isForbidden,
  isNotFound,
  type KubeList,
  type KubeObject,
  type ObjectRef,
  type Resource,
  refKey,
} from "@csi-sidecars/kube";
import { unseenNote } from "./explanation.ts";

/** What a look at the cluster came to. `unseen`: it may be there or not. */
export type Look<T> = { readonly state: "seen"; readonly value: T } | { readonly state: "missing" } | { readonly state: "unseen" };

export function seen<T>(value: T): Look<T> {
  return { state: "seen", value };
}

export const missing: Look<never> = { state: "missing" };
export const unseen: Look<never> = { state: "unseen" };

/** The value of a look, where there is one. */
export function valueIn<T>(look: Look<T> | undefined): T | undefined {
  return look?.state === "seen" ? look.value : undefined;
}

export interface Selection {
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/** Reads with the rights of the caller; what may not be read is noted, with the permission that it needs. */
export interface Looker {
  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<Look<T>>;
  /** `missing` where the server does not have the kind. */
  list<T extends KubeObject>(resource: Resource<T>, selection?: Selection): Promise<Look<readonly T[]>>;
  /** What could not be looked at so far. */
  readonly notes: readonly string[];
}

const pageSize = 500;

/** Looks through a client; an API server that fails or is silent for longer than the limit is a note too. */
export function looker(client: Pick<Client, "get" | "list">, timeoutMs: number): Looker {
  const notes: string[] = [];
  const note = (what: string, verb: string, resource: Resource, namespace: string | undefined, error: unknown): Look<never> => {
    const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
    const because = isForbidden(error) ? `needs ${verb} on ${groupResourceOf(resource)}${where}` : messageWithCause(error);
    const text = `${unseenNote(what)}${because}`;
    if (!notes.includes(text)) notes.push(text);
    return unseen;
  };
  return {
    notes,
    async get(resource, ref) {
      try {
        return seen(await client.get(resource, ref, { timeoutMs }));
      } catch (error) {
        return isNotFound(error) ? missing : note(`${resource.kind} ${refKey(ref)}`, "get", resource, ref.namespace, error);
      }
    },
    async list<T extends KubeObject>(resource: Resource<T>, selection: Selection = {}) {
      const items: T[] = [];
      try {
        for (let from: string | undefined = ""; from !== undefined; ) {
          const page: KubeList<T> = await client.list(resource, {
            ...selection,
            limit: pageSize,
            timeoutMs,
            ...(from && { continue: from }),
          });
          items.push(...page.items);
          from = page.metadata.continue || undefined;
        }
        return seen(items);
      } catch (error) {
        return isNotFound(error) ? missing : note(resource.plural, "list", resource, selection.namespace, error);
      }
    },
  };
}
