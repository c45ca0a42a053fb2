import type { Kind } from "../../kinds/kind.ts";
import { admitUpdate } from "../../rules/admission/admission.ts";
import { invalidValue } from "../../rules/field-error.ts";
import { arrayAt, deepEqual, type JsonObject, sameValue, stringAt } from "../../rules/json.ts";
import { groupResource } from "../../rules/kind.ts";
import { badRequest, conflict, conflictBecause, invalidKind, notFound } from "../../rules/status.ts";
import { inStorageVersion } from "../conversion.ts";
import { writtenVersion } from "../rest/request-options.ts";
import { admissionContext, type ServerState, type Target, tableOf, type Writer } from "../server-state.ts";
import { Revision, stamped, storageKey } from "../store/revision.ts";
import { checkNamespace, createObject } from "./create-object.ts";
import { changedMetadata, metadataOf, withManagers } from "./metadata.ts";
import { removeObject } from "./namespace-lifecycle.ts";

/** PUT. `created` when the kind allows a PUT to create the object. */
export function updateObject(
  state: ServerState,
  target: Target,
  body: JsonObject,
  writer: Writer,
): { readonly revision: Revision; readonly created: boolean } {
  const { kind, namespace, name } = target;
  checkNames(target, body);
  const existing = tableOf(state, kind).get(storageKey(namespace, name));
  if (!existing) {
    if (!kind.createOnUpdate) throw notFound(kind, name);
    return { revision: createObject(state, kind, namespace, body, writer), created: true };
  }
  checkUid(target, existing, stringAt(body, "metadata", "uid"));
  return { revision: replaceObject(state, target, existing, body, writer), created: false };
}

/** Replaces the existing object with `wanted`, a whole body or the outcome of a patch, as far as the subresource and admission allow. */
export function replaceObject(
  state: ServerState,
  target: Target,
  existing: Revision,
  wanted: JsonObject,
  writer: Writer,
  patched = false,
): Revision {
  const { kind } = target;
  checkVersion(target, existing, stringAt(wanted, "metadata", "resourceVersion"));
  const keepsMetadata = target.subresource === "status" && !kind.metadataWithStatus;
  const old = metadataOf(existing.object);
  const changed = changedMetadata(old, metadataOf(wanted));
  // The uid is compared all the same: a write must not reach another object of the same name. The status of a custom kind can.
  const kept = kind.custom ? old : { ...old, uid: changed.uid };
  const metadata = keepsMetadata ? kept : changed;
  const admitted = admitUpdate(
    kind,
    existing.object,
    { ...wanted, metadata },
    { subresource: target.subresource, patched },
    admissionContext(state, writer),
  );
  const managed = withManagers(state, target, existing.object, admitted, writer);
  const object = stamped(inStorageVersion(kind, withGeneration(kind, existing.object, managed)), existing.version);

  if (isFinished(object)) {
    if (!writer.dryRun) removeObject(state, kind, existing.key);
    return new Revision(existing.key, existing.version, object);
  }
  if ((kind.custom ? deepEqual : sameValue)(existing.object, object) && sameManagers(existing.object, object)) return existing;
  if (writer.dryRun) return new Revision(existing.key, existing.version, object);
  return state.store.put(tableOf(state, kind), existing.key, object);
}

/** For managed fields an empty object differs from none. */
const sameManagers = (a: JsonObject, b: JsonObject): boolean => deepEqual(metadataOf(a).managedFields, metadataOf(b).managedFields);

export function checkNames(target: Target, body: JsonObject): void {
  const given = stringAt(body, "metadata", "name");
  if (given !== target.name) {
    throw badRequest(
      given === ""
        ? `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`
        : `the name of the object (${given}) does not match the name on the URL (${target.name})`,
    );
  }
  checkNamespace(target.namespace, stringAt(body, "metadata", "namespace"));
}

function checkVersion({ kind, name }: Target, existing: Revision, given: string): void {
  const version = writtenVersion(given);
  if (version === 0) {
    if (kind.unconditionalUpdate) return;
    throw invalidKind(kind.group, kind.plural, name, [invalidValue("metadata.resourceVersion", 0, "must be specified for an update")]);
  }
  if (version !== existing.version) throw conflict(kind, name);
}

function checkUid({ kind, name, namespace }: Target, existing: Revision, given: string): void {
  const uid = stringAt(existing.object, "metadata", "uid");
  if (given === "" || given === uid) return;
  const key = `/registry/${groupResource(kind)}/${storageKey(namespace, name)}`;
  const why = `Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`;
  throw conflictBecause(kind, name, `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`);
}

function withGeneration(kind: Kind, old: JsonObject, changed: JsonObject): JsonObject {
  if (kind.generation === undefined || sameValue(desired(old), desired(changed))) return changed;
  const metadata = metadataOf(changed);
  return { ...changed, metadata: { ...metadata, generation: Number(metadata.generation ?? 0) + 1 } };
}

/** The desired state: everything but metadata and status. */
function desired({ metadata: _metadata, status: _status, kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Being deleted, with neither finalizers nor a grace period left. */
function isFinished(object: JsonObject): boolean {
  const metadata = metadataOf(object);
  return metadata.deletionTimestamp !== undefined && !metadata.deletionGracePeriodSeconds && arrayAt(metadata, "finalizers").length === 0;
}
