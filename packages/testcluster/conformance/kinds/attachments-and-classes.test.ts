import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attachment, attachments, classes, storageClass } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const inlineVolumeSpec = {
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteOnce"],
  csi: { driver: "csi.example.com", volumeHandle: "h" },
};

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "attachments",
    [
      [
        `POST ${attachments}`,
        attachment("va"),
        "201",
        {
          spec: { attacher: "csi.example.com", source: { persistentVolumeName: "pv-1" }, nodeName: "node-1" },
          status: { attached: false },
          "metadata.finalizers": undefined,
        },
      ],
      [`MERGE ${attachments}/va`, { spec: { nodeName: "node-2" } }, "422 Invalid"],
      [`MERGE ${attachments}/va`, { spec: { source: { persistentVolumeName: "pv-2" } } }, "422 Invalid"],
      [
        `POST ${attachments}`,
        attachment("inline", { source: { inlineVolumeSpec } }),
        '422 Invalid: VolumeAttachment.storage.k8s.io "inline" is invalid: spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
        { "spec.source.inlineVolumeSpec.csi": undefined },
      ],
      [
        `POST ${attachments}`,
        attachment("both", { source: { inlineVolumeSpec, persistentVolumeName: "pv" } }),
        '422 Invalid: VolumeAttachment.storage.k8s.io "both" is invalid: spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      ],
      [
        `POST ${attachments}`,
        attachment("neither", { source: {} }),
        '422 Invalid: VolumeAttachment.storage.k8s.io "neither" is invalid: spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      ],
      [`POST ${attachments}`, attachment("bad", { attacher: "a_b" }), "422 Invalid"],
      [
        `POST ${attachments}`,
        attachment("bad", { attacher: "" }),
        '422 Invalid: VolumeAttachment.storage.k8s.io "bad" is invalid: spec.attacher: Required value',
      ],
      [`POST ${attachments}`, attachment("bad", { nodeName: "Node_1" }), "422 Invalid"],
    ],
  ],
  [
    "storage classes",
    [
      [
        `POST ${classes}`,
        storageClass("sc", { parameters: { a: "b" } }),
        "201",
        {
          "": {
            kind: "StorageClass",
            apiVersion: "storage.k8s.io/v1",
            metadata: { name: "sc", uid: "<uid>", creationTimestamp: "<time>" },
            provisioner: "csi.example.com",
            parameters: { a: "b" },
            reclaimPolicy: "Delete",
            volumeBindingMode: "Immediate",
          },
        },
      ],
      [
        `MERGE ${classes}/sc`,
        { parameters: { a: "c" } },
        '422 Invalid: StorageClass.storage.k8s.io "sc" is invalid: parameters: Invalid value: {"a":"c"}: field is immutable',
      ],
      [
        `MERGE ${classes}/sc`,
        { provisioner: "other" },
        '422 Invalid: StorageClass.storage.k8s.io "sc" is invalid: provisioner: Invalid value: "other": field is immutable',
      ],
      [
        `MERGE ${classes}/sc`,
        { reclaimPolicy: "Retain" },
        '422 Invalid: StorageClass.storage.k8s.io "sc" is invalid: reclaimPolicy: Invalid value: "Retain": field is immutable',
      ],
      [
        `MERGE ${classes}/sc`,
        { volumeBindingMode: "WaitForFirstConsumer" },
        '422 Invalid: StorageClass.storage.k8s.io "sc" is invalid: volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
      ],
      [`MERGE ${classes}/sc`, { allowVolumeExpansion: true }, "200", { allowVolumeExpansion: true }],
      [`MERGE ${classes}/sc`, { mountOptions: ["ro"] }, "200", { mountOptions: ["ro"] }],
      [
        `POST ${classes}`,
        { metadata: { name: "bad" } },
        '422 Invalid: StorageClass.storage.k8s.io "bad" is invalid: provisioner: Required value',
      ],
      [
        `POST ${classes}`,
        storageClass("bad", { volumeBindingMode: "Later" }),
        '422 Invalid: StorageClass.storage.k8s.io "bad" is invalid: volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      ],
      [
        `POST ${classes}`,
        storageClass("bad", { reclaimPolicy: "Recycle" }),
        '422 Invalid: StorageClass.storage.k8s.io "bad" is invalid: reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
      ],
      [
        `POST ${classes}`,
        storageClass("bad", { parameters: { "": "x" } }),
        '422 Invalid: StorageClass.storage.k8s.io "bad" is invalid: parameters: Invalid value: "": field can not be empty.',
      ],
      [
        `POST ${classes}`,
        storageClass("topo", { allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a"] }] }] }),
        "201",
        { allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a"] }] }] },
      ],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
