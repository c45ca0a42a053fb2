import { describe, expect, test } from "bun:test";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Event,
  Lease,
  Namespace,
  Node,
  type Resource,
  resource,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "@csi-sidecars/kube";
import { admitDelete, admitUpdate } from "./admission.ts";
import { context, merged, refusal } from "./testing/attempts.ts";

const Secret = resource("v1", "secrets", "Secret", { namespaced: true });

const attachment = { metadata: { name: "va" }, spec: { attacher: "a", nodeName: "n1", source: { persistentVolumeName: "pv" } } };
const lease = { metadata: { name: "l", namespace: "ns" }, spec: { holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 } };

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
