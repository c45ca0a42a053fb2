import { configMapRules, namespaceRules, nodeRules, secretRules } from "./admission/core-kinds.ts";
import { csiDriverRules, csiNodeRules, csiStorageCapacityRules } from "./admission/csi-kinds.ts";
import { customResourceDefinitionRules } from "./admission/custom-resource-definition.ts";
import { eventRules } from "./admission/event.ts";
import type { AdmissionContext, KindRules, Subresource } from "./admission/kind-rules.ts";
import { leaseRules } from "./admission/lease.ts";
import { validateMetadata, validateMetadataUpdate, withoutServerMetadata, withStoredMetadata } from "./admission/metadata.ts";
import { persistentVolumeRules } from "./admission/persistent-volume.ts";
import { persistentVolumeClaimRules } from "./admission/persistent-volume-claim.ts";
import { podRules } from "./admission/pod.ts";
import { roleBindingRules, roleRules } from "./admission/rbac.ts";
import { serviceRules } from "./admission/service.ts";
import { checkTypes } from "./admission/shapes.ts";
import { storageClassRules, volumeAttributesClassRules } from "./admission/storage-class.ts";
import { volumeAttachmentRules } from "./admission/volume-attachment.ts";
import type { FieldError } from "./field-error.ts";
import { type JsonObject, stringAt, withoutNulls } from "./json.ts";
import { groupResource, type ServedKind } from "./kind.ts";
import { decodedOutcome } from "./patch-outcome.ts";
import { invalid } from "./status.ts";

export type { AdmissionContext } from "./admission/kind-rules.ts";

const builtIn: Readonly<Record<string, KindRules>> = {
  configmaps: configMapRules,
  events: eventRules,
  "events.events.k8s.io": eventRules,
  namespaces: namespaceRules,
  nodes: nodeRules,
  persistentvolumeclaims: persistentVolumeClaimRules,
  persistentvolumes: persistentVolumeRules,
  pods: podRules,
  secrets: secretRules,
  services: serviceRules,
  "clusterrolebindings.rbac.authorization.k8s.io": roleBindingRules,
  "clusterroles.rbac.authorization.k8s.io": roleRules,
  "customresourcedefinitions.apiextensions.k8s.io": customResourceDefinitionRules,
  "csidrivers.storage.k8s.io": csiDriverRules,
  "csinodes.storage.k8s.io": csiNodeRules,
  "csistoragecapacities.storage.k8s.io": csiStorageCapacityRules,
  "leases.coordination.k8s.io": leaseRules,
  "rolebindings.rbac.authorization.k8s.io": roleBindingRules,
  "roles.rbac.authorization.k8s.io": roleRules,
  "storageclasses.storage.k8s.io": storageClassRules,
  "volumeattachments.storage.k8s.io": volumeAttachmentRules,
  "volumeattributesclasses.storage.k8s.io": volumeAttributesClassRules,
};

const rulesOf = (kind: ServedKind): KindRules => kind.rules ?? builtIn[groupResource(kind)] ?? {};

/** The object as it is stored on create: defaulted, marked and valid. Its name, uid and creation time are already there. */
export function admitCreate(kind: ServedKind, object: JsonObject, context: AdmissionContext): JsonObject {
  const rules = rulesOf(kind);
  checkTypes(kind, object);
  const given = withoutServerMetadata(kind.custom ? object : withoutNulls(object));
  const defaulted = rules.defaults?.(given, kind) ?? given;
  rules.guard?.(defaulted, undefined, context);
  const created = rules.create?.(defaulted, context) ?? defaulted;
  refuseInvalid(kind, created, [...validateMetadata(created, metadataRules(kind, rules)), ...(rules.validate?.(created) ?? [])]);
  return created;
}

/** The object as it is stored on update. What the status subresource leaves alone, and the other way round, is taken from the old one. */
export function admitUpdate(
  kind: ServedKind,
  old: JsonObject,
  object: JsonObject,
  { subresource, patched = false }: UpdateOptions,
  context: AdmissionContext,
): JsonObject {
  const rules = rulesOf(kind);
  const decode = () => {
    checkTypes(kind, object);
    const wanted = withStoredMetadata(old, writtenPart(kind, old, object, subresource));
    return rules.defaults?.(wanted, kind) ?? wanted;
  };
  const defaulted = patched ? decodedOutcome(() => JSON.stringify(object), decode) : decode();
  rules.guard?.(defaulted, old, context);
  const updated = rules.update?.(old, defaulted, context) ?? defaulted;
  refuseInvalid(kind, updated, [
    ...validateMetadataUpdate(old, updated),
    ...validateMetadata(updated, metadataRules(kind, rules)),
    ...(rules.validate?.(updated, old) ?? []),
    ...(rules.validateUpdate?.(old, updated, subresource) ?? []),
  ]);
  rules.admitUpdate?.(old, updated, context);
  return updated;
}

/** `patched` when the object is the outcome of a patch: what cannot be decoded is then the patch's fault, with a 422 instead of a 400. */
export interface UpdateOptions {
  readonly subresource?: Subresource;
  readonly patched?: boolean;
}

/** Whether an object may be deleted; the answer is what becomes of it while its finalizers hold it. */
export function admitDelete(kind: ServedKind, object: JsonObject, context: AdmissionContext): JsonObject {
  return rulesOf(kind).admitDelete?.(object, context) ?? object;
}

function writtenPart(kind: ServedKind, old: JsonObject, object: JsonObject, subresource: Subresource): JsonObject {
  const part = kind.status ? onlyPart(old, object, subresource) : object;
  return kind.custom ? part : withoutNulls(part);
}

function onlyPart(old: JsonObject, object: JsonObject, subresource: Subresource): JsonObject {
  const { status, ...rest } =
    subresource === "status" ? { ...old, metadata: object.metadata, status: object.status } : { ...object, status: old.status };
  return status === undefined || status === null ? rest : { ...rest, status };
}

const metadataRules = (kind: ServedKind, rules: KindRules) => ({
  ...(rules.nameFaults && { nameFaults: rules.nameFaults }),
  bareFinalizers: kind.custom === true,
});

function refuseInvalid(kind: ServedKind, object: JsonObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(kind, stringAt(object, "metadata", "name"), errors);
}
