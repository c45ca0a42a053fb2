import { createHash } from "node:crypto";
import { apiVersionOf, type Client, fields, type KubeObject, Pod, type Resource, refKey, type V1Pod } from "@csi-sidecars/kube";

/** What the workload controllers have to notice of pods: which object owns them, and whether they run. */
export const ownedPodFields = fields(Pod, {
  metadata: { ownerReferences: true, deletionTimestamp: true },
  status: { phase: true, conditions: true },
});

/** An object as its owner finds it. */
interface Owned {
  readonly metadata: {
    readonly namespace?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly controller?: boolean }[];
  };
}

/** Calls `enqueue` with the key of the controlling owner of that kind, whenever a dependent comes, changes or goes. */
export function enqueueOwner(resource: Resource, enqueue: (key: string) => void) {
  const add = ({ metadata: { namespace, ownerReferences } }: Owned) => {
    const owner = ownerReferences?.find(({ kind, controller }) => controller && kind === resource.kind);
    if (owner) enqueue(refKey({ namespace, name: owner.name }));
  };
  return { onAdd: add, onUpdate: (_old: Owned, dependent: Owned) => add(dependent), onDelete: add };
}

/** The dependents of an owner as the API server has them now: decided on a cache, an object that was just created would be created twice. */
export async function readOwned<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const { items } = await client.list(resource, { namespace: metadata?.namespace, signal });
  return items.filter((item) => item.metadata?.ownerReferences?.some(({ uid, controller }) => controller && uid === metadata?.uid));
}

export function controllerReference(resource: Resource, { metadata }: KubeObject) {
  const { name = "", uid = "" } = metadata ?? {};
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export const isTerminating = ({ metadata }: KubeObject): boolean => metadata?.deletionTimestamp !== undefined;

export const hasEnded = ({ status }: V1Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

export const isReady = ({ status }: V1Pod): boolean =>
  status?.phase === "Running" && (status.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");

/** The same for equal pod templates, whatever the order of their fields; short enough for a label. */
export function templateHash(template: unknown): string {
  return createHash("sha256").update(JSON.stringify(template, sortedFields)).digest("hex").slice(0, 10);
}

const sortedFields = (_name: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
