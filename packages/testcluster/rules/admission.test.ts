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
import { context, merged, refusal } from "./admission/world.testing.ts";
import { admitCreate, admitDelete, admitUpdate } from "./admission.ts";

const Secret = resource("v1", "secrets", "Secret", { namespaced: true });
const Role = resource("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", { namespaced: false });
const RoleBinding = resource("rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", { namespaced: false });

const attachment = { metadata: { name: "va" }, spec: { attacher: "a", nodeName: "n1", source: { persistentVolumeName: "pv" } } };
const lease = { metadata: { name: "l", namespace: "ns" }, spec: { holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 } };

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
    const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c" }] }, status: { phase: "Running" } };
    const spec = { restartPolicy: "Always", containers: [{ name: "c", imagePullPolicy: "Always" }], tolerations: [{}, {}] };
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

describe("a change is stored", () => {
  const attached = { ...attachment, status: { attached: true } };
  const cases: [behaviour: string, kind: Resource, old: object, patch: object, subresource: "status" | undefined, part: object][] = [
    [
      "the main resource leaves the status alone",
      VolumeAttachment,
      attached,
      { status: { attached: false } },
      undefined,
      { status: { attached: true } },
    ],
    [
      "the status subresource leaves the spec alone",
      VolumeAttachment,
      attached,
      { spec: { nodeName: "n2" }, status: { attachmentMetadata: { a: "b" } } },
      "status",
      { spec: attachment.spec, status: { attached: true, attachmentMetadata: { a: "b" } } },
    ],
    ["a removed status says not attached", VolumeAttachment, attached, { status: null }, "status", { status: { attached: false } }],
    [
      "the time of an error has whole seconds",
      VolumeAttachment,
      attached,
      { status: { attachError: { message: "m", time: "2020-01-01T00:00:00.123Z" } } },
      "status",
      { status: { attached: true, attachError: { message: "m", time: "2020-01-01T00:00:00Z" } } },
    ],
    ["a lease is released", Lease, lease, { spec: { holderIdentity: "" } }, undefined, { spec: { ...lease.spec, holderIdentity: "" } }],
    [
      "a class may start to allow expansion",
      StorageClass,
      { metadata: { name: "s" }, provisioner: "p", reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
      { allowVolumeExpansion: true, reclaimPolicy: null },
      undefined,
      { allowVolumeExpansion: true, reclaimPolicy: "Delete" },
    ],
    [
      "a node's driver may be able to attach more",
      CSINode,
      { metadata: { name: "n" }, spec: { drivers: [{ name: "b", nodeID: "x", topologyKeys: ["a"], allocatable: { count: 3 } }] } },
      { spec: { drivers: [{ name: "b", nodeID: "x", topologyKeys: ["a"], allocatable: { count: 4 } }] } },
      undefined,
      { spec: { drivers: [{ name: "b", nodeID: "x", topologyKeys: ["a"], allocatable: { count: 4 } }] } },
    ],
    [
      "a legacy event may be rewritten",
      Event,
      { metadata: { name: "e", namespace: "default" }, count: 1 },
      { count: 2 },
      undefined,
      { count: 2 },
    ],
  ];
  test.each(cases)("%s", (_, kind, old, patch, subresource, part) => {
    expect(admitUpdate(kind, { ...old }, merged(old, patch), subresource ? { subresource } : {}, context())).toMatchObject({ ...part });
  });
});

describe("a change is refused", () => {
  const storageClass = {
    metadata: { name: "s" },
    provisioner: "p",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    parameters: { a: "b" },
  };
  const csiNode = { metadata: { name: "n" }, spec: { drivers: [{ name: "b", nodeID: "x", topologyKeys: ["a"] }] } };
  const sealed = { metadata: { name: "s" }, data: { a: "eA==" }, immutable: true, type: "Opaque" };
  const big = "x".repeat(263_000);
  const cases: [behaviour: string, kind: Resource, old: object, patch: object, subresource: "status" | undefined, message: string][] = [
    [
      "the spec of an attachment",
      VolumeAttachment,
      attachment,
      { spec: { nodeName: "n2" } },
      undefined,
      'VolumeAttachment.storage.k8s.io "va" is invalid: spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"pv","InlineVolumeSpec":null},"NodeName":"n2"}: field is immutable',
    ],
    [
      "an attach error of more than 1024 bytes, with the wrong limit in the message",
      VolumeAttachment,
      attachment,
      { status: { attachError: { message: "x".repeat(1025) } } },
      "status",
      'VolumeAttachment.storage.k8s.io "va" is invalid: status.attachError.message: Too long: may not be more than 262144 bytes',
    ],
    [
      "attachment metadata longer than an object may be",
      VolumeAttachment,
      attachment,
      { status: { attachmentMetadata: { a: big } } },
      "status",
      'VolumeAttachment.storage.k8s.io "va" is invalid: status.attachmentMetadata: Too long: may not be more than 262144 bytes',
    ],
    [
      "the parameters of a class",
      StorageClass,
      storageClass,
      { parameters: { a: "c" } },
      undefined,
      'StorageClass.storage.k8s.io "s" is invalid: parameters: Invalid value: {"a":"c"}: field is immutable',
    ],
    [
      "the binding mode of a class",
      StorageClass,
      storageClass,
      { volumeBindingMode: "WaitForFirstConsumer" },
      undefined,
      'StorageClass.storage.k8s.io "s" is invalid: volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
    [
      "the node ID of a driver",
      CSINode,
      csiNode,
      { spec: { drivers: [{ name: "b", nodeID: "y", topologyKeys: ["a"] }] } },
      undefined,
      'CSINode.storage.k8s.io "n" is invalid: spec.drivers: Invalid value: {"Name":"b","NodeID":"y","TopologyKeys":["a"],"Allocatable":null}: field is immutable',
    ],
    [
      "whether a driver attaches",
      CSIDriver,
      { metadata: { name: "d" }, spec: { attachRequired: true, volumeLifecycleModes: ["Persistent"] } },
      { spec: { attachRequired: false } },
      undefined,
      'CSIDriver.storage.k8s.io "d" is invalid: spec.attachedRequired: Invalid value: false: field is immutable',
    ],
    [
      "the class of a capacity",
      CSIStorageCapacity,
      { metadata: { name: "c" }, storageClassName: "s" },
      { storageClassName: "x" },
      undefined,
      'CSIStorageCapacity.storage.k8s.io "c" is invalid: storageClassName: Invalid value: "x": field is immutable',
    ],
    [
      "the parameters of an attributes class",
      VolumeAttributesClass,
      { metadata: { name: "v" }, driverName: "d", parameters: { a: "b" } },
      { parameters: { a: "c" } },
      undefined,
      'VolumeAttributesClass.storage.k8s.io "v" is invalid: parameters: Forbidden: updates to parameters are forbidden.',
    ],
    [
      "a sealed secret",
      Secret,
      sealed,
      { data: { a: "eQ==" } },
      undefined,
      'Secret "s" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    ],
    [
      "the type of a secret",
      Secret,
      { ...sealed, immutable: false },
      { type: "x" },
      undefined,
      'Secret "s" is invalid: type: Invalid value: "x": field is immutable',
    ],
    [
      "the provider of a node",
      Node,
      { metadata: { name: "n" }, spec: { providerID: "a" } },
      { spec: { providerID: "b" } },
      undefined,
      'Node "n" is invalid: spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
  ];
  test.each(cases)("%s", (_, kind, old, patch, subresource, message) => {
    const change = () => admitUpdate(kind, { ...old }, merged(old, patch), subresource ? { subresource } : {}, context());
    expect(refusal(change)).toBe(message);
  });
});

test("what a patch makes undecodable is the patch's fault", () => {
  const patched = { ...lease, spec: { leaseTransitions: "1" } };
  const why = "json: cannot unmarshal string into Go struct field LeaseSpec.spec.leaseTransitions of type int32";
  expect(refusal(() => admitUpdate(Lease, lease, patched, { patched: true }, context()))).toBe(
    ` "" is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify(patched))}: ${why}`,
  );
  expect(refusal(() => admitUpdate(Lease, lease, patched, {}, context()))).toBe(
    `Lease in version "v1" cannot be handled as a Lease: ${why}`,
  );
});

test("a namespace ends, but not the one that everybody needs", () => {
  expect(admitDelete(Namespace, { metadata: { name: "ns" } }, context())).toMatchObject({ status: { phase: "Terminating" } });
  expect(refusal(() => admitDelete(Namespace, { metadata: { name: "default" } }, context()))).toBe(
    'namespaces "default" is forbidden: this namespace may not be deleted',
  );
});
