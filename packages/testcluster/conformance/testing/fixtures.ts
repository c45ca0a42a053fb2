/** The objects of these tests as clients send them: small, valid, changed by `spec` and `metadata`. */
type Members = Readonly<Record<string, unknown>>;

export const volume = (name: string, spec: Members = {}, metadata: Members = {}) => ({
  metadata: { name, ...metadata },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi: { driver: "csi.example.com", volumeHandle: name }, ...spec },
});

export const claim = (name: string, spec: Members = {}, metadata: Members = {}) => ({
  metadata: { name, ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast", ...spec },
});

export const attachment = (name: string, spec: Members = {}, metadata: Members = {}) => ({
  metadata: { name, ...metadata },
  spec: { attacher: "csi.example.com", nodeName: "node-1", source: { persistentVolumeName: "pv-1" }, ...spec },
});

export const storageClass = (name: string, members: Members = {}) => ({ metadata: { name }, provisioner: "csi.example.com", ...members });

export const csiNode = (name: string, ...drivers: readonly Members[]) => ({ metadata: { name }, spec: { drivers } });

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}, metadata: Members = {}) => ({
  metadata: { name, ...metadata },
  data,
});

export const lease = (name: string, spec: Members = {}, metadata: Members = {}) => ({ metadata: { name, ...metadata }, spec });

/** Where the kinds of these tests live; namespaced ones in the namespace `default`. */
export const volumes = "/api/v1/persistentvolumes";
export const nodes = "/api/v1/nodes";
export const namespaces = "/api/v1/namespaces";
export const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
export const maps = "/api/v1/namespaces/default/configmaps";
export const pods = "/api/v1/namespaces/default/pods";
export const secrets = "/api/v1/namespaces/default/secrets";
export const events = "/api/v1/namespaces/default/events";
export const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
export const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
export const classes = "/apis/storage.k8s.io/v1/storageclasses";
export const csiNodes = "/apis/storage.k8s.io/v1/csinodes";
export const csiDrivers = "/apis/storage.k8s.io/v1/csidrivers";
export const attributesClasses = "/apis/storage.k8s.io/v1/volumeattributesclasses";
export const capacities = "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
export const clusterRoleBindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
export const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
export const roleBindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
