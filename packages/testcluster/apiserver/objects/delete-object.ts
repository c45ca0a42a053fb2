import { metav1Time } from "@csi-sidecars/kube";
import type { Kind } from "../../kinds/kind.ts";
import { admitDelete } from "../../rules/admission/admission.ts";
import { arrayAt, at, type JsonObject, sameValue, stringAt, withAt } from "../../rules/json.ts";
import { groupResource } from "../../rules/kind.ts";
import { notFound, preconditionFailed } from "../../rules/status.ts";
import { admissionContext, type ServerState, type Target, tableOf, type Writer } from "../server-state.ts";
import { Revision, storageKey } from "../store/revision.ts";
import { metadataOf } from "./metadata.ts";
import { finishNamespace, namespacedKinds, removeObject } from "./namespace-lifecycle.ts";

/** The part of metav1.DeleteOptions that storage clients use. */
export interface DeleteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
  /** What happens to dependents. All but "Background" add a finalizer for the garbage collector, which is not part of this server. */
  readonly propagationPolicy: "Foreground" | "Background" | "Orphan" | undefined;
  /** The object was read before its finalizers were added: they are ignored. */
  readonly ignoreFinalizers?: boolean;
}

/** `removed` when the object is gone; otherwise it has a deletion timestamp and waits for its finalizers or grace period. */
export interface Deletion {
  readonly revision: Revision;
  readonly removed: boolean;
}

export function deleteObject(state: ServerState, target: Omit<Target, "subresource">, options: DeleteOptions, writer: Writer): Deletion {
  const { kind, namespace, name } = target;
  const existing = tableOf(state, kind).get(storageKey(namespace, name));
  if (!existing) throw notFound(kind, name);
  checkPreconditions(kind, name, existing, options);
  const admitted = admitDelete(kind, existing.object, admissionContext(state, writer));
  if (groupResource(kind) === "namespaces") return deleteNamespace(state, kind, existing, admitted, writer);

  const grace = graceOf(state, kind, existing.object, options);
  const finalizers = options.ignoreFinalizers ? [] : finalizersAfter(existing.object, options);
  if (grace === 0 && finalizers.length === 0) {
    if (!writer.dryRun) removeObject(state, kind, existing.key);
    const object = isPod(kind) ? markedObject(state, existing.object, grace) : existing.object;
    return { revision: new Revision(existing.key, existing.version, object), removed: true };
  }
  return { revision: markDeleted(state, kind, existing, { grace, finalizers }, writer), removed: false };
}

function checkPreconditions(kind: Kind, name: string, existing: Revision, { uid, resourceVersion }: DeleteOptions): void {
  const found = stringAt(existing.object, "metadata", "uid");
  if (uid !== undefined && uid !== found) throw preconditionFailed(kind, name, "UID", uid, found);
  if (resourceVersion !== undefined && resourceVersion !== String(existing.version)) {
    throw preconditionFailed(kind, name, "ResourceVersion", resourceVersion, String(existing.version));
  }
}

/** Only a pod on a node is deleted gracefully; without kubelets, only when the client asks for it. */
function graceOf({ gracefulPods }: ServerState, kind: Kind, object: JsonObject, { gracePeriodSeconds }: DeleteOptions): number {
  const onNode = isPod(kind) && stringAt(object, "spec", "nodeName") !== "";
  const over = ["Succeeded", "Failed"].includes(stringAt(object, "status", "phase"));
  const usual = gracefulPods ? Number(at(object, "spec", "terminationGracePeriodSeconds") ?? 0) : 0;
  return onNode && !over ? Math.max(0, gracePeriodSeconds ?? usual) : 0;
}

function markDeleted(state: ServerState, kind: Kind, existing: Revision, mark: Mark, writer: Writer): Revision {
  const metadata = metadataOf(existing.object);
  const before = metadata.deletionGracePeriodSeconds;
  const sooner = metadata.deletionTimestamp === undefined || (typeof before === "number" && before > mark.grace);
  if (!sooner && sameValue(metadata.finalizers, mark.finalizers)) return existing;
  const object = sooner ? markedObject(state, existing.object, mark.grace) : existing.object;
  return store(state, kind, existing, writer, withAt(object, ["metadata", "finalizers"], mark.finalizers));
}

/** What keeps an object that is being deleted. */
interface Mark {
  readonly grace: number;
  readonly finalizers: readonly unknown[];
}

/** The finalizers, with that of the requested propagation policy instead of any other policy's. */
function finalizersAfter(object: JsonObject, { propagationPolicy }: DeleteOptions): readonly unknown[] {
  const present = arrayAt(object, "metadata", "finalizers");
  if (propagationPolicy === undefined) return present;
  const others = present.filter((finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion");
  switch (propagationPolicy) {
    case "Foreground":
      return [...others, "foregroundDeletion"];
    case "Orphan":
      return [...others, "orphan"];
    case "Background":
      return others;
  }
}

/** The object with a deletion timestamp. The first one increments the generation. */
function markedObject(state: ServerState, object: JsonObject, grace: number): JsonObject {
  const metadata = metadataOf(object);
  const counts = metadata.deletionTimestamp === undefined && Number(metadata.generation) > 0;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(counts && { generation: Number(metadata.generation) + 1 }),
      deletionTimestamp: metav1Time(state.clock.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
    },
  };
}

const isPod = (kind: Kind): boolean => groupResource(kind) === "pods";

/** A namespace is removed last: its content is deleted first, and what has finalizers keeps it. */
function deleteNamespace(state: ServerState, kind: Kind, existing: Revision, admitted: JsonObject, writer: Writer): Deletion {
  if (at(existing.object, "metadata", "deletionTimestamp") !== undefined) return { revision: existing, removed: false };
  const metadata = { ...metadataOf(admitted), deletionTimestamp: metav1Time(state.clock.now()) };
  const revision = store(state, kind, existing, writer, { ...admitted, metadata });
  if (!writer.dryRun) emptyNamespace(state, existing.key);
  return { revision, removed: false };
}

const namespaceController = {
  user: { name: "system:serviceaccount:kube-system:namespace-controller", groups: ["system:masters"] },
  dryRun: false,
};

/** Now, or after the delay where there is one. */
function emptyNamespace(state: ServerState, namespace: string): void {
  finishNamespace(state, namespace);
  const empty = () => {
    deleteContent(state, namespace, namespaceController);
    finishNamespace(state, namespace);
  };
  if (state.namespaceDelayMs) state.clock.after(state.namespaceDelayMs, empty);
  else empty();
}

/** For a server that continues from kept data: what another one was about to delete. */
export function finishDeletedNamespaces(state: ServerState): void {
  for (const { key, object } of [...state.store.table("namespaces").values()]) {
    if (at(object, "metadata", "deletionTimestamp") !== undefined) emptyNamespace(state, key);
  }
}

function deleteContent(state: ServerState, namespace: string, writer: Writer): void {
  const now = { uid: undefined, resourceVersion: undefined, gracePeriodSeconds: 0, propagationPolicy: undefined };
  for (const kind of namespacedKinds(state)) {
    for (const { object } of [...tableOf(state, kind).values(namespace)]) {
      deleteObject(state, { kind, namespace, name: stringAt(object, "metadata", "name") }, now, writer);
    }
  }
}

function store(state: ServerState, kind: Kind, existing: Revision, writer: Writer, object: JsonObject): Revision {
  if (writer.dryRun) return new Revision(existing.key, existing.version, object);
  return state.store.put(tableOf(state, kind), existing.key, object);
}
