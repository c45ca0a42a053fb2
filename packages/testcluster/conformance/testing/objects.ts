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
