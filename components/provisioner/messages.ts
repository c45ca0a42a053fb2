import { message } from "@csi-sidecars/base";
import { attributesClassOfOtherDriver } from "@csi-sidecars/controller";

/**
 * Messages about claims and volumes; `csi-sidecars why` has remedies for them ({@link provisionerRemedies}). Where upstream has the
 * message, it is in upstream's words.
 */
export const messages = {
  infeasible: message((cause: string) => `Volume provisioning failed with infeasible error. Retries will be delayed. ${cause}`),
  secretUnreadable: message(
    (name: string, namespace: string, cause: string) => `error getting secret ${name} in namespace ${namespace}: ${cause}`,
  ),
  unsupported: message(
    (what: string, capability: string) => `CSI driver does not support ${what}: ${capability} capability is not reported`,
  ),
  classMissing: message((name: string) => `storageClass "${name}" not found`),
  selectorUnsupported: message(() => "claim Selector is not supported"),
  attributesClassOfOtherDriver,

  nodeNotAllowed: message(
    (node: string | undefined, topology: string, allowed: string) =>
      `selected node '"${node}"' topology '${topology}' is not in allowed topologies: ${allowed}`,
  ),
  nodeNotRequisite: message(
    (topology: string, node: string | undefined, requisite: string) =>
      `topology ${topology} from selected node "${node}" is not in requisite: ${requisite}`,
  ),
  noAccessibility: message((cause: string) => `error generating accessibility requirements: ${cause}`),
  csiNodeMissing: message((node: string) => `failed to get selected CSINode ${node}: csinode.storage.k8s.io "${node}" not found`),

  sourceNotGranted: message(
    (source: string, kind: string, claim: string) => `accessing ${source} of ${kind} dataSource from ${claim} isn't allowed`,
  ),
  crossNamespaceDisabled: message(() => "dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled"),
  snapshotUnreadable: message((name: string, cause: string) => `error getting snapshot ${name} from api server: ${cause}`),
  snapshotBeingDeleted: message((name: string | undefined) => `snapshot ${name} is being deleted`),
  snapshotNotBound: message((name: string | undefined) => `snapshot ${name} not bound`),
  snapshotNotReady: message((name: string | undefined) => `snapshot ${name} is not Ready`),
  snapshotHandleMissing: message((name: string | undefined) => `snapshot handle ${name} is not available`),
  contentOfOtherSnapshot: message(
    (content: string | undefined, name: string | undefined) =>
      `snapshotcontent ${content} for snapshot ${name} is bound to a different snapshot`,
  ),
  contentOfOtherDriver: message(
    (content: string | undefined, name: string | undefined, storageClass: string) =>
      `snapshotcontent ${content} for snapshot ${name} is not handled by CSI driver of StorageClass ${storageClass}`,
  ),
  smallerThanSnapshot: message(
    (wanted: bigint, least: bigint, name: string | undefined) =>
      `requested volume size ${wanted} is less than the size ${least} for the source snapshot ${name}`,
  ),
  modeChanged: message(
    (claim: string, cause: string) =>
      `requested volume ${claim} modifies the mode of the source volume but does not have permission to do so. ${cause}`,
  ),
  cloneSourceUnusable: message(() => "claim in dataSource not bound or invalid"),
  smallerThanCloneSource: message(
    (wanted: bigint, least: bigint) =>
      `error, new PVC request must be greater than or equal in size to the specified PVC data source, requested ${wanted} but source is ${least}`,
  ),
  cloneModeDiffers: message(
    (source: string, wanted: string) =>
      `the source PVC and destination PVCs must have the same volume mode for cloning.  Source is ${source}, but new PVC requested ${wanted}`,
  ),

  answerWithout: message((what: string) => `the driver's answer to CreateVolume has no ${what}`),
  createdTooSmall: message(
    (bytes: bigint, requested: bigint) => `created volume capacity ${bytes} less than requested capacity ${requested}`,
  ),
  contentSourceMissing: message(() => "volume content source missing"),
  contentSourceDiffers: message(
    (theirs: string, requested: string) => `volume content source is a ${theirs}, but a ${requested} was asked for`,
  ),
  unknownTopologyKeys: message((keys: string) => `the driver placed the volume by topology keys that no node has: ${keys}`),
  volumeRejected: message((cause: string) => `the API server rejected the PersistentVolume: ${cause}`),
  volumeUnsaved: message((cause: string) => `the volume exists, but its PersistentVolume cannot be saved: ${cause}`),
  volumeAlreadyExists: message((name: string) => `PersistentVolume "${name}" already exists and is not this claim's`),
  volumeOfOtherClaim: message(
    (name: string) => `PersistentVolume "${name}" exists and belongs to another claim: use a longer --volume-name-uuid-length`,
  ),

  stillAttached: message((volume: string, node: string) => `persistentvolume ${volume} is still attached to node ${node}`),
  volumeOfOtherDriver: message(
    (theirs: string, annotation: string, ours: string) =>
      `the volume belongs to driver ${theirs}, but its annotation ${annotation} names ${ours}`,
  ),
} as const;
