import { ownValue, stringifyExactJson } from "@csi-sidecars/base";
import { StatusError } from "@csi-sidecars/kube";
import { type FieldError, invalidValue } from "../field-error.ts";
import { type JsonObject, stringAt, withoutNulls } from "../json.ts";
import { type AdmissionContext, groupResource, type KindRules, type ServedKind, type Subresource } from "../kind.ts";
import { invalid, invalidKind } from "../status.ts";
import { checkTypes } from "./field-types.ts";
import { configMapRules, namespaceRules, nodeRules, secretRules } from "./kinds/core.ts";
import { csiDriverRules, csiNodeRules, csiStorageCapacityRules } from "./kinds/csi.ts";
import { customResourceDefinitionRules } from "./kinds/custom-resource-definition.ts";
import { eventRules } from "./kinds/event.ts";
import { jobRules } from "./kinds/job.ts";
import { leaseRules } from "./kinds/lease.ts";
import { persistentVolumeRules } from "./kinds/persistent-volume.ts";
import { persistentVolumeClaimRules } from "./kinds/persistent-volume-claim.ts";
import { podRules } from "./kinds/pod.ts";
import { roleBindingRules, roleRules } from "./kinds/rbac.ts";
import { serviceRules } from "./kinds/service.ts";
import { storageClassRules, volumeAttributesClassRules } from "./kinds/storage-class.ts";
import { volumeAttachmentRules } from "./kinds/volume-attachment.ts";
import { deploymentRules, replicaSetRules, statefulSetRules } from "./kinds/workload.ts";
import { validateMetadata, validateMetadataUpdate, withoutServerMetadata, withStoredMetadata } from "./metadata.ts";

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
  "jobs.batch": jobRules,
  "deployments.apps": deploymentRules,
  "replicasets.apps": replicaSetRules,
  "statefulsets.apps": statefulSetRules,
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

const rulesOf = (kind: ServedKind): KindRules => kind.rules ?? ownValue(builtIn, groupResource(kind)) ?? {};

/** The object as it is stored on create: defaulted and validated. Its name, uid and creation time are already set. */
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

/** The object as it is stored on update. A write to the status subresource changes only the status, any other write everything else. */
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
  const defaulted = patched ? decodedOutcome(() => stringifyExactJson(object), decode) : decode();
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

/** `patched` when the object is the outcome of a patch: what cannot be decoded is then a 422 instead of a 400. */
interface UpdateOptions {
  readonly subresource?: Subresource;
  readonly patched?: boolean;
}

/** Refuses a delete, or returns the object as it is stored while it waits for its finalizers. */
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
  ...(rules.validateName && { validateName: rules.validateName }),
  bareFinalizers: kind.custom === true,
});

function refuseInvalid(kind: ServedKind, object: JsonObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(kind, stringAt(object, "metadata", "name"), errors);
}

/** Decodes the outcome of a patch. What cannot be decoded is a 422 that shows the patch, instead of a 400. */
export function decodedOutcome<T>(shown: () => string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    const why = error.message.replace(/^.* cannot be handled as a \S+: /, "");
    throw invalidKind("", "", "", [invalidValue("patch", shown(), why)]);
  }
}
