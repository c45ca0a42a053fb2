import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { volume, volumes } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const source = { driver: "csi.example.com", volumeHandle: "h" };

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "a volume gets defaults",
    [
      [
        `POST ${volumes}`,
        volume("new"),
        "201",
        {
          spec: {
            capacity: { storage: "1Gi" },
            csi: { driver: "csi.example.com", volumeHandle: "new" },
            accessModes: ["ReadWriteOnce"],
            persistentVolumeReclaimPolicy: "Retain",
            volumeMode: "Filesystem",
          },
          "status.phase": "Pending",
        },
      ],
      [
        `POST ${volumes}`,
        volume("full", {
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: "fast",
          mountOptions: ["ro"],
          volumeMode: "Block",
          claimRef: { namespace: "default", name: "c", uid: "u" },
          csi: {
            ...source,
            fsType: "xfs",
            readOnly: true,
            volumeAttributes: { a: "b" },
            controllerPublishSecretRef: { name: "s", namespace: "n" },
          },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] } },
        }),
        "201",
        {
          spec: {
            capacity: { storage: "1Gi" },
            csi: {
              driver: "csi.example.com",
              volumeHandle: "h",
              readOnly: true,
              fsType: "xfs",
              volumeAttributes: { a: "b" },
              controllerPublishSecretRef: { name: "s", namespace: "n" },
            },
            accessModes: ["ReadWriteOnce"],
            claimRef: { namespace: "default", name: "c", uid: "u" },
            persistentVolumeReclaimPolicy: "Delete",
            storageClassName: "fast",
            mountOptions: ["ro"],
            volumeMode: "Block",
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] } },
          },
        },
      ],
    ],
  ],
  [
    "a volume that cannot be",
    [
      [
        `POST ${volumes}`,
        volume("bad", { csi: undefined }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec: Required value: must specify a volume type',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { hostPath: { path: "/x" } }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.csi: Forbidden: may not specify more than 1 volume type',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { csi: { driver: "csi.example.com" } }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.csi.volumeHandle: Required value',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { csi: { volumeHandle: "h" } }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.csi.driver: Required value',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { csi: { driver: "a_b", volumeHandle: "h" } }),
        "422 Invalid: PersistentVolume \"bad\" is invalid: spec.csi.driver: Invalid value: \"a_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
      [`POST ${volumes}`, volume("bad", { csi: { ...source, nodeStageSecretRef: { name: "s" } } }), "201"],
      [
        `POST ${volumes}`,
        volume("bad", { csi: { ...source, controllerPublishSecretRef: { namespace: "n" } } }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.csi.controllerPublishSecretRef.name: Required value',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { capacity: { storage: "0" } }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.capacity[storage]: Invalid value: "0": must be greater than zero',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { capacity: {} }),
        '422 Invalid: PersistentVolume "bad" is invalid: [spec.capacity: Required value, spec.capacity: Unsupported value: {}: supported values: "storage"]',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { accessModes: ["X"] }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { accessModes: [] }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.accessModes: Required value',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { persistentVolumeReclaimPolicy: "Keep" }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { volumeMode: "Tape" }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { nodeAffinity: {} }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.nodeAffinity.required: Required value: must specify required node constraints',
      ],
      [
        `POST ${volumes}`,
        volume("bad", { nodeAffinity: { required: { nodeSelectorTerms: [] } } }),
        '422 Invalid: PersistentVolume "bad" is invalid: spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
      ],
    ],
  ],
  [
    "the source is immutable, but for secrets of expansion",
    [
      [`POST ${volumes}`, volume("src"), "201"],
      [`MERGE ${volumes}/src`, { spec: { csi: { volumeHandle: "other" } } }, "422 Invalid"],
      [`MERGE ${volumes}/src`, { spec: { csi: { volumeAttributes: { a: "b" } } } }, "422 Invalid"],
      [`MERGE ${volumes}/src`, { spec: { csi: null, hostPath: { path: "/x" } } }, "422 Invalid"],
      [
        `MERGE ${volumes}/src`,
        { spec: { csi: { controllerExpandSecretRef: { name: "s", namespace: "n" } } } },
        "200",
        { "spec.csi.controllerExpandSecretRef": { name: "s", namespace: "n" } },
      ],
      [`MERGE ${volumes}/src`, { spec: { csi: { controllerPublishSecretRef: { name: "s", namespace: "n" } } } }, "422 Invalid"],
    ],
  ],
  [
    "what else of a volume may change",
    [
      [`POST ${volumes}`, volume("chg"), "201"],
      [`MERGE ${volumes}/chg`, { spec: { capacity: { storage: "5Gi" } } }, "200", { "spec.capacity": { storage: "5Gi" } }],
      [`MERGE ${volumes}/chg`, { spec: { capacity: { storage: "1Gi" } } }, "200", { "spec.capacity": { storage: "1Gi" } }],
      [
        `MERGE ${volumes}/chg`,
        { spec: { persistentVolumeReclaimPolicy: "Delete" } },
        "200",
        { "spec.persistentVolumeReclaimPolicy": "Delete" },
      ],
      [`MERGE ${volumes}/chg`, { spec: { storageClassName: "slow" } }, "200", { "spec.storageClassName": "slow" }],
      [`MERGE ${volumes}/chg`, { spec: { accessModes: ["ReadWriteMany"] } }, "200", { "spec.accessModes": ["ReadWriteMany"] }],
      [`MERGE ${volumes}/chg`, { spec: { mountOptions: ["noatime"] } }, "200"],
      [
        `MERGE ${volumes}/chg`,
        { spec: { volumeMode: "Block" } },
        '422 Invalid: PersistentVolume "chg" is invalid: volumeMode: Invalid value: "Block": field is immutable',
      ],
      [
        `MERGE ${volumes}/chg`,
        { spec: { claimRef: { namespace: "default", name: "c", uid: "u" } } },
        "200",
        { "spec.claimRef": { namespace: "default", name: "c", uid: "u" } },
      ],
      [`MERGE ${volumes}/chg`, { spec: { claimRef: null } }, "200", { "spec.claimRef": undefined }],
      [`MERGE ${volumes}/chg`, { spec: { volumeAttributesClassName: "gold" } }, "200", { "spec.volumeAttributesClassName": "gold" }],
      [
        `MERGE ${volumes}/chg`,
        { spec: { volumeAttributesClassName: null } },
        '422 Invalid: PersistentVolume "chg" is invalid: spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden',
      ],
      [
        `MERGE ${volumes}/chg`,
        {
          spec: {
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "z", operator: "In", values: ["a"] }] }] } },
          },
        },
        "200",
      ],
      [
        `MERGE ${volumes}/chg`,
        {
          spec: {
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "y", operator: "In", values: ["a"] }] }] } },
          },
        },
        "422 Invalid",
      ],
    ],
  ],
  [
    "phases",
    [
      [`POST ${volumes}`, volume("ph"), "201"],
      [
        `MERGE ${volumes}/ph/status`,
        { status: { phase: "Available" } },
        "200",
        { "status.phase": "Available", "status.lastPhaseTransitionTime": "<time>" },
      ],
      [
        `MERGE ${volumes}/ph/status`,
        { status: { phase: "Failed", message: "m", reason: "r" } },
        "200",
        { status: { phase: "Failed", message: "m", reason: "r", lastPhaseTransitionTime: "<time>" } },
      ],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
