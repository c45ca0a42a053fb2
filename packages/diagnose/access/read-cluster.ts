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
import { failureText } from "./failure-text.ts";
import { unreadableNote } from "./notes.ts";

/** The result of a read. `unreadable`: the object may exist or not. */
export type Lookup<T> =
  | { readonly state: "found"; readonly value: T }
  | { readonly state: "missing" }
  | { readonly state: "unreadable"; readonly because?: string };

export function found<T>(value: T): Lookup<T> {
  return { state: "found", value };
}

export const missing: Lookup<never> = { state: "missing" };
export const unreadable: Lookup<never> = { state: "unreadable" };

/** The value that was found, if one was. */
export function foundIn<T>(lookup: Lookup<T> | undefined): T | undefined {
  return lookup?.state === "found" ? lookup.value : undefined;
}

/** The items of a list that are wanted, where the list could be read. */
export function filterFound<T>(lookup: Lookup<readonly T[]>, wanted: (item: T) => boolean): Lookup<readonly T[]> {
  return lookup.state === "found" ? found(lookup.value.filter(wanted)) : lookup;
}

interface Selection {
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/** Reads with the permissions of the caller. What cannot be read is noted, with the permission that it needs. */
export interface ClusterReader {
  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<Lookup<T>>;
  /** `missing` where the server does not serve the kind. */
  list<T extends KubeObject>(resource: Resource<T>, selection?: Selection): Promise<Lookup<readonly T[]>>;
  /** What could not be read so far, and why. */
  readonly notes: readonly string[];
}

const pageSize = 500;

/** Then whoever acts as somebody else lacks a permission, and not the one that he acts as. */
const mayNotImpersonate = (error: unknown) => messageWithCause(error).includes("cannot impersonate resource");

/** An API server that fails, or does not answer within the limit, is a note too. */
export function clusterReader(client: Pick<Client, "get" | "list">, timeoutMs: number): ClusterReader {
  const notes: string[] = [];
  const note = (what: string, verb: string, resource: Resource, namespace: string | undefined, error: unknown): Lookup<never> => {
    const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
    const because =
      isForbidden(error) && !mayNotImpersonate(error) ? `needs ${verb} on ${groupResourceOf(resource)}${where}` : failureText(error);
    const text = `${unreadableNote(what)}${because}`;
    if (!notes.includes(text)) notes.push(text);
    return { state: "unreadable", because };
  };
  return {
    notes,
    async get(resource, ref) {
      try {
        return found(await client.get(resource, ref, { timeoutMs }));
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
        return found(items);
      } catch (error) {
        return isNotFound(error) ? missing : note(resource.plural, "list", resource, selection.namespace, error);
      }
    },
  };
}
