import { ownValue } from "@csi-sidecars/base";

/** What `kubectl explain` says of a type (under "") and of its fields; the table is short: the fields that a storage user meets. */
type Described = Readonly<Record<string, string>>;

const everywhere: Described = {
  apiVersion: "Group and version of this kind.",
  kind: "Name of this kind.",
  metadata: "Name, labels, annotations and what the server keeps of every object.",
  spec: "What is wanted.",
  status: "What is there, written by the cluster.",
};

const core: Readonly<Record<string, Described>> = {
  ConfigMap: { "": "Settings as names and texts, for pods to read.", data: "Texts by name.", immutable: "No longer to be changed." },
  Event: {
    "": "Something that happened to an object, kept for a while.",
    involvedObject: "The object it happened to.",
    reason: "What happened, in one word.",
    message: "What happened, in a sentence.",
    type: "Normal or Warning.",
    count: "How often it happened.",
  },
  Namespace: { "": "A space of names for objects, deleted with all that is in it." },
  Node: { "": "A machine that runs pods." },
  PersistentVolume: { "": "Storage that exists: a volume of a driver, in no namespace, bound to at most one claim." },
  PersistentVolumeSpec: {
    accessModes: "Ways in which the volume can be mounted.",
    capacity: "How large the volume is.",
    claimRef: "The claim that it is bound to, or kept for.",
    csi: "The volume as its CSI driver knows it.",
    mountOptions: "Options for the mount on a node.",
    nodeAffinity: "The nodes from which the volume can be reached.",
    persistentVolumeReclaimPolicy: "What becomes of the volume when its claim is gone: Retain or Delete.",
    storageClassName: "The class it belongs to.",
    volumeAttributesClassName: "The class of changeable attributes in force.",
    volumeMode: "Filesystem or Block.",
  },
  PersistentVolumeStatus: {
    phase: "Pending, Available, Bound, Released or Failed.",
    message: "Why it failed, in a sentence.",
    reason: "Why it failed, in a word.",
  },
  CSIPersistentVolumeSource: {
    driver: "Name of the CSI driver.",
    volumeHandle: "The driver's name for the volume.",
    fsType: "File system to make and mount.",
    readOnly: "Mounted for reading only.",
    volumeAttributes: "What the driver said of the volume when it made it.",
    controllerPublishSecretRef: "Secret for attaching.",
    controllerExpandSecretRef: "Secret for growing.",
    nodeStageSecretRef: "Secret for staging on a node.",
    nodePublishSecretRef: "Secret for mounting into a pod.",
  },
  PersistentVolumeClaim: { "": "A request for storage in a namespace; pods mount the volume that it gets." },
  PersistentVolumeClaimSpec: {
    accessModes: "Ways in which the volume must be mountable.",
    dataSource: "What the new volume is filled from: a snapshot or another claim.",
    dataSourceRef: "What the new volume is filled from, of any kind that a populator knows.",
    resources: "How much storage is asked for; may grow later.",
    selector: "Labels that an existing volume must have.",
    storageClassName: "The class that makes the volume; empty for none, absent for the default class.",
    volumeAttributesClassName: "The class of changeable attributes wanted.",
    volumeMode: "Filesystem or Block.",
    volumeName: "The volume that the claim is bound to, or wants.",
  },
  PersistentVolumeClaimStatus: {
    accessModes: "Ways in which the volume can be mounted.",
    allocatedResourceStatuses: "How far a growth has come.",
    allocatedResources: "The size that a growth under way aims at.",
    capacity: "How large the volume is.",
    conditions: "What is going on with the claim, such as a growth.",
    currentVolumeAttributesClassName: "The class of changeable attributes in force.",
    modifyVolumeStatus: "How far a change of attributes has come.",
    phase: "Pending, Bound or Lost.",
  },
  Pod: { "": "Containers that run together on one node." },
  PodSpec: { containers: "The containers.", nodeName: "The node that runs the pod.", volumes: "What the containers can mount." },
  Secret: {
    "": "Bytes that are to be kept from most eyes, such as passwords.",
    data: "Base64 by name.",
    stringData: "Texts by name, encoded when written.",
  },
  Service: { "": "A name and an address for a set of pods." },
  ServiceAccount: { "": "Who a program in a pod is to the API server." },
};

const storage: Readonly<Record<string, Described>> = {
  CSIDriver: { "": "A CSI driver that is installed, and how the cluster is to treat it." },
  CSIDriverSpec: {
    attachRequired: "Volumes must be attached to a node before they are mounted.",
    fsGroupPolicy: "Whether the owner of files is changed for a pod's group.",
    podInfoOnMount: "The driver is told of the pod when it mounts.",
    requiresRepublish: "The driver is asked again from time to time.",
    storageCapacity: "Pods go only where the driver has reported enough capacity.",
    tokenRequests: "Tokens of the pod's account that the driver gets.",
    volumeLifecycleModes: "Persistent, Ephemeral or both.",
  },
  CSINode: { "": "The CSI drivers that run on a node." },
  CSINodeSpec: { drivers: "The drivers that have registered." },
  CSINodeDriver: {
    allocatable: "How many volumes of the driver the node can hold.",
    name: "Name of the driver.",
    nodeID: "The driver's name for the node.",
    topologyKeys: "Labels of the node that say where it is, to the driver.",
  },
  CSIStorageCapacity: {
    "": "How much a driver could still provision in one segment of the cluster for one class.",
    capacity: "Room in all.",
    maximumVolumeSize: "Largest single volume.",
    nodeTopology: "The nodes it is about.",
    storageClassName: "The class it is about.",
  },
  StorageClass: {
    "": "A kind of storage that claims can ask for by name.",
    allowVolumeExpansion: "Claims of the class may grow.",
    allowedTopologies: "Where volumes may be made.",
    mountOptions: "Options for the mount on a node.",
    parameters: "Words for the driver, such as a pool or a speed; the driver says which.",
    provisioner: "Name of the driver that makes the volumes.",
    reclaimPolicy: "What becomes of a volume when its claim is gone: Delete or Retain.",
    volumeBindingMode: "Immediate, or WaitForFirstConsumer to let the pod's place decide.",
  },
  VolumeAttachment: { "": "The wish that a volume be attached to a node, and how far that has come." },
  VolumeAttachmentSpec: { attacher: "Name of the driver.", nodeName: "The node.", source: "The volume." },
  VolumeAttachmentStatus: {
    attachError: "The last failure to attach.",
    attached: "The volume is attached.",
    attachmentMetadata: "What the driver said when it attached, for the mount.",
    detachError: "The last failure to detach.",
  },
  VolumeAttributesClass: {
    "": "Attributes of volumes that can be changed while they are used.",
    driverName: "Name of the driver.",
    parameters: "The attributes, in the driver's words.",
  },
};

const others: Readonly<Record<string, Described>> = {
  "io.k8s.api.apps.v1.DaemonSet": { "": "One pod on every node." },
  "io.k8s.api.apps.v1.Deployment": { "": "Pods that are all alike, replaced step by step." },
  "io.k8s.api.apps.v1.ReplicaSet": { "": "A number of pods that are all alike." },
  "io.k8s.api.apps.v1.StatefulSet": { "": "Pods that have names and claims of their own." },
  "io.k8s.api.coordination.v1.Lease": { "": "Who leads, and until when." },
  "io.k8s.api.coordination.v1.LeaseSpec": {
    acquireTime: "Since when it is held.",
    holderIdentity: "Who holds it.",
    leaseDurationSeconds: "How long after the last renewal others may take it.",
    leaseTransitions: "How often it changed hands.",
    renewTime: "When it was last renewed.",
  },
  "io.k8s.api.events.v1.Event": {
    "": "Something that happened to an object, kept for a while.",
    note: "What happened, in a sentence.",
    reason: "What happened, in one word.",
    regarding: "The object it happened to.",
  },
  "io.k8s.api.rbac.v1.ClusterRole": { "": "Rights in the whole cluster.", rules: "Verbs on resources, or on paths." },
  "io.k8s.api.rbac.v1.ClusterRoleBinding": {
    "": "Gives a role to users, groups or accounts, everywhere.",
    roleRef: "The role.",
    subjects: "Who gets it.",
  },
  "io.k8s.api.rbac.v1.Role": { "": "Rights in one namespace.", rules: "Verbs on resources." },
  "io.k8s.api.rbac.v1.RoleBinding": {
    "": "Gives a role to users, groups or accounts, in one namespace.",
    roleRef: "The role.",
    subjects: "Who gets it.",
  },
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition": {
    "": "A kind that is served besides those the server knows itself.",
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
    "": "What every object has.",
    annotations: "Notes that do not select.",
    creationTimestamp: "When it was created.",
    deletionTimestamp: "When it was asked to go; it stays while it has finalizers.",
    finalizers: "Who has work to do before it goes.",
    generation: "Counts changes of what is wanted.",
    labels: "Words by which it can be selected.",
    name: "Its name, unique for the kind in the namespace.",
    namespace: "Where it lives.",
    ownerReferences: "The objects it goes away with.",
    resourceVersion: "Its version, for watches and for safe updates.",
    uid: "Its identity; another object of the same name has another.",
  },
};

/** Our description of a schema and of its fields; upstream's are not copied. */
export function descriptionsOf(schemaName: string): { readonly own: string | undefined; readonly fields: Described } {
  const [, group, type = ""] = /^io\.k8s\.api\.(core|storage)\.v1\.(\w+)$/.exec(schemaName) ?? [];
  const found =
    (group === "core" ? ownValue(core, type) : group === "storage" ? ownValue(storage, type) : ownValue(others, schemaName)) ?? {};
  const { "": own, ...fields } = found;
  return { own, fields: own === undefined && schemaName !== "" ? fields : { ...everywhere, ...fields } };
}
