import { describe, expect, test } from "bun:test";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Event,
  Lease,
  Namespace,
  Node,
  Pod,
  type Resource,
  resource,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "@csi-sidecars/kube";
import { admitCreate } from "./admission.ts";
import { context, refusal } from "./testing/attempts.ts";

const Secret = resource("v1", "secrets", "Secret", { namespaced: true });
const Role = resource("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", { namespaced: false });
const RoleBinding = resource("rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", { namespaced: false });

const attachment = { metadata: { name: "va" }, spec: { attacher: "a", nodeName: "n1", source: { persistentVolumeName: "pv" } } };

describe("a new object is stored", () => {
  const cases: [behaviour: string, kind: Resource, given: object, stored: object][] = [
    [
      "an attachment is not attached, whatever it says",
      VolumeAttachment,
      { ...attachment, status: { attached: true } },
      { ...attachment, status: { attached: false } },
    ],
    [
      "a storage class deletes and binds at once",
      StorageClass,
      { metadata: { name: "s" }, provisioner: "p" },
      { metadata: { name: "s" }, provisioner: "p", reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
    ],
    ["a CSINode without drivers says null", CSINode, { metadata: { name: "n" } }, { metadata: { name: "n" }, spec: { drivers: null } }],
    [
      "a driver on a node without topology says null",
      CSINode,
      { metadata: { name: "n" }, spec: { drivers: [{ name: "a", nodeID: "1" }] } },
      { metadata: { name: "n" }, spec: { drivers: [{ name: "a", nodeID: "1", topologyKeys: null }] } },
    ],
    [
      "a CSIDriver gets its defaults",
      CSIDriver,
      { metadata: { name: "d" }, spec: { attachRequired: false } },
      {
        metadata: { name: "d" },
        spec: {
          attachRequired: false,
          podInfoOnMount: false,
          volumeLifecycleModes: ["Persistent"],
          storageCapacity: false,
          fsGroupPolicy: "ReadWriteOnceWithFSType",
          requiresRepublish: false,
          seLinuxMount: false,
        },
      },
    ],
    [
      "a capacity is canonical",
      CSIStorageCapacity,
      { metadata: { name: "c" }, storageClassName: "s", capacity: "1.5Gi" },
      { metadata: { name: "c" }, storageClassName: "s", capacity: "1536Mi" },
    ],
    [
      "an attributes class is protected",
      VolumeAttributesClass,
      { metadata: { name: "v" }, driverName: "d", parameters: { a: "b" } },
      { metadata: { name: "v", finalizers: ["kubernetes.io/vac-protection"] }, driverName: "d", parameters: { a: "b" } },
    ],
    ["a lease may be empty", Lease, { metadata: { name: "l" } }, { metadata: { name: "l" }, spec: {} }],
    [
      "a lease's times are in UTC",
      Lease,
      { metadata: { name: "l" }, spec: { renewTime: "2020-01-01T01:00:00.123456+01:00" } },
      { metadata: { name: "l" }, spec: { renewTime: "2020-01-01T00:00:00.123456Z" } },
    ],
    [
      "a namespace is active and labelled",
      Namespace,
      { metadata: { name: "ns" } },
      {
        metadata: { name: "ns", labels: { "kubernetes.io/metadata.name": "ns" } },
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      },
    ],
    [
      "a secret's text becomes data",
      Secret,
      { metadata: { name: "s" }, data: { b: "eA==" }, stringData: { a: "b" } },
      { metadata: { name: "s" }, data: { a: "Yg==", b: "eA==" }, type: "Opaque" },
    ],
    [
      "what only the server decides is dropped",
      Secret,
      { metadata: { name: "s", deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 3, selfLink: "x" } },
      { metadata: { name: "s" }, type: "Opaque" },
    ],
    [
      "a binding's subjects get their group",
      RoleBinding,
      {
        metadata: { name: "b" },
        roleRef: { kind: "ClusterRole", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "a", namespace: "b" },
        ],
      },
      {
        metadata: { name: "b" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
        subjects: [
          { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "a", namespace: "b" },
        ],
      },
    ],
  ];
  test.each(cases)("%s", (_, kind, given, stored) => {
    expect(admitCreate(kind, { ...given }, context())).toEqual({ ...stored });
  });

  test("a node is not ready", () => {
    expect(
      admitCreate(Node, { metadata: { name: "n" }, status: { conditions: [{ type: "Ready", status: "True" }] } }, context()),
    ).toMatchObject({
      spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] },
      status: {
        conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: null, lastTransitionTime: null }],
        nodeInfo: { osImage: "" },
      },
    });
  });

  test("a pod is pending", () => {
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "a" }] }, status: { phase: "Running" } };
    const spec = { restartPolicy: "Always", containers: [{ name: "c", image: "a", imagePullPolicy: "Always" }], tolerations: [{}, {}] };
    expect(admitCreate(Pod, pod, context())).toMatchObject({ status: { phase: "Pending" }, spec });
  });
});

describe("a new object is refused", () => {
  const dns =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const cases: [behaviour: string, kind: Resource, given: object, message: string][] = [
    [
      "an attachment without everything",
      VolumeAttachment,
      { metadata: { name: "va" } },
      `VolumeAttachment.storage.k8s.io "va" is invalid: [spec.attacher: Required value, spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName, spec.nodeName: Invalid value: "": ${dns}]`,
    ],
    [
      "an attachment with an inline volume that has a capacity",
      VolumeAttachment,
      {
        metadata: { name: "va" },
        spec: {
          ...attachment.spec,
          source: {
            inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi: { driver: "a", volumeHandle: "b" } },
          },
        },
      },
      'VolumeAttachment.storage.k8s.io "va" is invalid: spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
    ],
    [
      "a node ID that is too long",
      CSINode,
      { metadata: { name: "n" }, spec: { drivers: [{ name: "b", nodeID: "x".repeat(257) }] } },
      `CSINode.storage.k8s.io "n" is invalid: spec.drivers[0].nodeID: Invalid value: "${"x".repeat(257)}": must be 256 characters or less`,
    ],
    [
      "a driver with an unknown life cycle",
      CSIDriver,
      { metadata: { name: "d" }, spec: { volumeLifecycleModes: ["Foo"] } },
      'CSIDriver.storage.k8s.io "d" is invalid: spec.volumeLifecycleModes: Unsupported value: "Foo": supported values: "Persistent", "Ephemeral"',
    ],
    [
      "a storage class without provisioner",
      StorageClass,
      { metadata: { name: "s" } },
      'StorageClass.storage.k8s.io "s" is invalid: provisioner: Required value',
    ],
    [
      "a class with an unknown policy",
      StorageClass,
      { metadata: { name: "s" }, provisioner: "p", reclaimPolicy: "Foo" },
      'StorageClass.storage.k8s.io "s" is invalid: reclaimPolicy: Unsupported value: "Foo": supported values: "Delete", "Retain"',
    ],
    [
      "a node with a driver twice",
      CSINode,
      {
        metadata: { name: "n" },
        spec: {
          drivers: [
            { name: "b", nodeID: "x" },
            { name: "b", nodeID: "" },
          ],
        },
      },
      'CSINode.storage.k8s.io "n" is invalid: [spec.drivers[1].nodeID: Required value, spec.drivers[1].name: Duplicate value: "b"]',
    ],
    [
      "a capacity that is no quantity",
      CSIStorageCapacity,
      { metadata: { name: "c" }, storageClassName: "s", capacity: "x" },
      "CSIStorageCapacity in version \"v1\" cannot be handled as a CSIStorageCapacity: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      "a negative capacity",
      CSIStorageCapacity,
      { metadata: { name: "c" }, storageClassName: "s", capacity: "-1" },
      'CSIStorageCapacity.storage.k8s.io "c" is invalid: capacity: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      "an attributes class without parameters",
      VolumeAttributesClass,
      { metadata: { name: "v" }, driverName: "d" },
      'VolumeAttributesClass.storage.k8s.io "v" is invalid: parameters: Required value: must contain at least one key/value pair',
    ],
    [
      "a lease of no duration",
      Lease,
      { metadata: { name: "l" }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1, holderIdentity: "" } },
      'Lease.coordination.k8s.io "l" is invalid: [spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]',
    ],
    [
      "a lease whose time has no microseconds",
      Lease,
      { metadata: { name: "l" }, spec: { acquireTime: "2020-01-01T00:00:00Z" } },
      'Lease in version "v1" cannot be handled as a Lease: parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      "an event of another namespace's object",
      Event,
      { metadata: { name: "e", namespace: "default" }, involvedObject: { namespace: "other" } },
      'Event "e" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ],
    [
      "an event of a cluster-wide object outside of default",
      Event,
      { metadata: { name: "e", namespace: "kube-system" }, involvedObject: { kind: "Node" } },
      'Event "e" is invalid: involvedObject.namespace: Invalid value: "": does not match event.namespace',
    ],
    [
      "a new-style event without its reporter",
      Event,
      {
        metadata: { name: "e", namespace: "default" },
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingComponent: "a.b/c",
        reportingInstance: "",
      },
      'Event "e" is invalid: [reportingInstance: Required value, action: Required value, reason: Required value]',
    ],
    [
      "a namespace named like a host",
      Namespace,
      { metadata: { name: "A_B" } },
      "Namespace \"A_B\" is invalid: metadata.name: Invalid value: \"A_B\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    [
      "a secret that is not base64",
      Secret,
      { metadata: { name: "s" }, data: { a: "%%" } },
      'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
    ],
    ["a pod without containers", Pod, { metadata: { name: "p" } }, 'Pod "p" is invalid: spec.containers: Required value'],
    [
      "a rule without verbs",
      Role,
      { metadata: { name: "r:0" }, rules: [{ resources: ["pods"] }] },
      'ClusterRole.rbac.authorization.k8s.io "r:0" is invalid: [rules[0].verbs: Required value: verbs must contain at least one value, rules[0].apiGroups: Required value: resource rules must supply at least one api group]',
    ],
    [
      "a service account without namespace in a wide binding",
      RoleBinding,
      { metadata: { name: "b" }, roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "ServiceAccount", name: "a" }] },
      'ClusterRoleBinding.rbac.authorization.k8s.io "b" is invalid: subjects[0].namespace: Required value',
    ],
  ];
  test.each(cases)("%s", (_, kind, given, message) => {
    expect(refusal(() => admitCreate(kind, { ...given }, context()))).toBe(message);
  });
});
