/** What to do about errors that the sidecars find before they ask the driver, or in its answer; their own words are plain enough. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /(getting|load) secret .*(forbidden|cannot get)/i,
    "give the driver's service account the right to get that secret (csi-sidecars rbac prints the rules)",
  ],
  [/(getting|load) secret /i, "create that secret, or correct the class parameters that name it"],
  [
    /is forbidden|cannot (get|list|create|update|patch|delete) resource/i,
    "give the driver's service account that right (csi-sidecars rbac prints the rules)",
  ],
  [
    /is not in allowed topologies|is not in requisite/i,
    "let the pod run where the class allows volumes (allowedTopologies), or change the class",
  ],
  [
    /no topology key found|topology labels from selected node|error generating accessibility requirements|selected CSINode/i,
    "look whether the driver's node pod runs on that node and its CSINode lists the driver with its topology keys",
  ],
  [
    /(csi)?nodes?(\.storage\.k8s\.io)? "[^"]*" not found/i,
    "look whether the node exists, and whether the driver's node pod runs and has registered on it",
  ],
  [
    /claim Selector is not supported/i,
    "make the claim anew without spec.selector: volumes that are made on demand have no labels to select",
  ],
  [
    /but annotation pv\.kubernetes\.io\/provisioned-by/i,
    "correct the annotation, and the provisioner of the volume's own driver deletes it",
  ],
  [/CSI driver does not support|capability is not reported/i, "use another driver or class, or do without"],
  [/volumeattributesclasses?\S* "[^"]*" not found/i, "create that VolumeAttributesClass, or name one that exists in the claim"],
  [/^VAC .* does not match driver name/i, "name a VolumeAttributesClass of the claim's own driver"],
  [
    /modifies the mode of the source volume/i,
    'use the volumeMode of the snapshot\'s source, or allow another one on the VolumeSnapshotContent (annotation snapshot.storage.kubernetes.io/allow-volume-mode-change: "true")',
  ],
  [
    /snapshot .*(is not Ready|not bound|is not available|is being deleted)|error getting snapshot/i,
    "look at the snapshot and its events, and whether the snapshot controller and the csi-snapshotter run",
  ],
  [/less than the size|greater than or equal in size/i, "make the claim anew with at least the size of its source"],
  [/same volume mode for cloning/i, "make the claim anew with the volumeMode of its source"],
  [
    /claim in dataSource not bound or invalid|bound to a different|not handled by CSI driver of StorageClass/i,
    "use a class of the source's own driver, and a source that is bound",
  ],
  [/dataSource from .* isn't allowed/i, "create a ReferenceGrant in the source's namespace that lets claims of this namespace refer to it"],
  [
    /CrossNamespaceVolumeDataSource feature is disabled/i,
    "switch the feature gate CrossNamespaceVolumeDataSource on, or use a source in the claim's own namespace",
  ],
  [
    /another PersistentVolume "[^"]*" is in the way/i,
    "delete that PersistentVolume if nobody needs it; the new volume is kept, and saving it is tried on",
  ],
  [/PersistentVolume cannot be saved/i, "see to why the API server refuses the object; the volume is kept, and saving it is tried on"],
  [
    /API server does not take the PersistentVolume/i,
    "see in the message what is wrong with the object: it comes from the class or from the driver's answer; the volume is not kept, and made anew",
  ],
  [/still attached to node/i, "see csi-sidecars why pv"],
  [
    /created volume capacity|volume content source|answer to CreateVolume has no|topology keys that no node has/i,
    "the driver's answer is wrong: report it to its makers, with the driver's log; the volume is not kept, and made anew",
  ],
  [/in-use|offline expansion/i, "stop the pods that use the claim until it has grown"],
  [
    /StorageClass|parameter|template from params|invalid tokens|not a valid (secret|namespace) name/i,
    "correct the parameters of the class; they cannot be changed in place: make the class anew",
  ],
];

export function sidecarRemedy(message: string): string {
  return remedies.find(([pattern]) => pattern.test(message))?.[1] ?? "do what the message asks for; it is tried again";
}
