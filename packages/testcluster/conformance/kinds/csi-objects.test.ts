import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attributesClasses, capacities, csiDrivers, csiNode, csiNodes } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "nodes of drivers",
    [
      [
        `POST ${csiNodes}`,
        csiNode("n", { name: "a", nodeID: "1", topologyKeys: ["zone"], allocatable: { count: 5 } }),
        "201",
        { spec: { drivers: [{ name: "a", nodeID: "1", topologyKeys: ["zone"], allocatable: { count: 5 } }] } },
      ],
      [`POST ${csiNodes}`, { metadata: { name: "none" }, spec: {} }, "201", { spec: { drivers: null } }],
      [
        `POST ${csiNodes}`,
        csiNode("bad", { name: "a" }),
        '422 Invalid: CSINode.storage.k8s.io "bad" is invalid: spec.drivers[0].nodeID: Required value',
      ],
      [
        `POST ${csiNodes}`,
        csiNode("bad", { nodeID: "1" }),
        '422 Invalid: CSINode.storage.k8s.io "bad" is invalid: spec.drivers[0].name: Required value',
      ],
      [
        `POST ${csiNodes}`,
        csiNode("bad", { name: "a", nodeID: "1" }, { name: "a", nodeID: "2" }),
        '422 Invalid: CSINode.storage.k8s.io "bad" is invalid: spec.drivers[1].name: Duplicate value: "a"',
      ],
      [`POST ${csiNodes}`, csiNode("bad", { name: "a", nodeID: "x".repeat(193) }), "201"],
      [
        `POST ${csiNodes}`,
        csiNode("bad", { name: "a", nodeID: "1", allocatable: { count: -1 } }),
        '422 Invalid: CSINode.storage.k8s.io "bad" is invalid: spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      ],
      [
        `POST ${csiNodes}`,
        csiNode("bad", { name: "a", nodeID: "1", topologyKeys: ["zone", "zone"] }),
        '422 Invalid: CSINode.storage.k8s.io "bad" is invalid: spec.drivers[0]: Duplicate value: "zone"',
      ],
      [
        `MERGE ${csiNodes}/n`,
        { spec: { drivers: [{ name: "a", nodeID: "2", topologyKeys: ["zone"], allocatable: { count: 5 } }] } },
        "422 Invalid",
      ],
      [`MERGE ${csiNodes}/n`, { spec: { drivers: [] } }, "200", { "spec.drivers": null }],
      [
        `MERGE ${csiNodes}/n`,
        { spec: { drivers: [{ name: "a", nodeID: "2" }] } },
        "200",
        { "spec.drivers": [{ name: "a", nodeID: "2", topologyKeys: null }] },
      ],
    ],
  ],
  [
    "drivers",
    [
      [
        `POST ${csiDrivers}`,
        { metadata: { name: "csi.example.com" }, spec: {} },
        "201",
        {
          spec: {
            attachRequired: true,
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
        `MERGE ${csiDrivers}/csi.example.com`,
        { spec: { attachRequired: false } },
        '422 Invalid: CSIDriver.storage.k8s.io "csi.example.com" is invalid: spec.attachedRequired: Invalid value: false: field is immutable',
      ],
      [`MERGE ${csiDrivers}/csi.example.com`, { spec: { storageCapacity: true } }, "200", { "spec.storageCapacity": true }],
      [
        `POST ${csiDrivers}`,
        { metadata: { name: "bad" }, spec: { fsGroupPolicy: "Maybe" } },
        '422 Invalid: CSIDriver.storage.k8s.io "bad" is invalid: spec.fsGroupPolicy: Unsupported value: "Maybe": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      ],
      [
        `POST ${csiDrivers}`,
        { metadata: { name: "bad" }, spec: { volumeLifecycleModes: ["Maybe"] } },
        '422 Invalid: CSIDriver.storage.k8s.io "bad" is invalid: spec.volumeLifecycleModes: Unsupported value: "Maybe": supported values: "Persistent", "Ephemeral"',
      ],
    ],
  ],
  [
    "capacities",
    [
      [
        `POST ${capacities}`,
        {
          metadata: { generateName: "csisc-" },
          storageClassName: "fast",
          capacity: "1024Mi",
          maximumVolumeSize: "1.5Gi",
          nodeTopology: { matchLabels: { zone: "a" } },
        },
        "201",
        { capacity: "1Gi", maximumVolumeSize: "1536Mi", nodeTopology: { matchLabels: { zone: "a" } } },
      ],
      [`POST ${capacities}`, { metadata: { name: "c" }, storageClassName: "fast" }, "201"],
      [`MERGE ${capacities}/c`, { capacity: "5" }, "200", { capacity: "5" }],
      [
        `MERGE ${capacities}/c`,
        { storageClassName: "slow" },
        '422 Invalid: CSIStorageCapacity.storage.k8s.io "c" is invalid: storageClassName: Invalid value: "slow": field is immutable',
      ],
      [
        `MERGE ${capacities}/c`,
        { nodeTopology: { matchLabels: { a: "b" } } },
        '422 Invalid: CSIStorageCapacity.storage.k8s.io "c" is invalid: nodeTopology: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable',
      ],
      [
        `POST ${capacities}`,
        { metadata: { name: "bad" } },
        "422 Invalid: CSIStorageCapacity.storage.k8s.io \"bad\" is invalid: storageClassName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
      [
        `POST ${capacities}`,
        { metadata: { name: "bad" }, storageClassName: "fast", capacity: "-1" },
        '422 Invalid: CSIStorageCapacity.storage.k8s.io "bad" is invalid: capacity: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
  ],
  [
    "attributes classes",
    [
      [
        `POST ${attributesClasses}`,
        { metadata: { name: "gold" }, driverName: "csi.example.com", parameters: { iops: "1" } },
        "201",
        {
          "": {
            kind: "VolumeAttributesClass",
            apiVersion: "storage.k8s.io/v1",
            metadata: { name: "gold", uid: "<uid>", creationTimestamp: "<time>", finalizers: ["kubernetes.io/vac-protection"] },
            driverName: "csi.example.com",
            parameters: { iops: "1" },
          },
        },
      ],
      [
        `MERGE ${attributesClasses}/gold`,
        { parameters: { iops: "2" } },
        '422 Invalid: VolumeAttributesClass.storage.k8s.io "gold" is invalid: parameters: Forbidden: updates to parameters are forbidden.',
      ],
      [
        `MERGE ${attributesClasses}/gold`,
        { driverName: "other" },
        '422 Invalid: VolumeAttributesClass.storage.k8s.io "gold" is invalid: driverName: Forbidden: updates to driverName are forbidden.',
      ],
      [
        `POST ${attributesClasses}`,
        { metadata: { name: "bad" }, driverName: "csi.example.com" },
        '422 Invalid: VolumeAttributesClass.storage.k8s.io "bad" is invalid: parameters: Required value: must contain at least one key/value pair',
      ],
      [
        `POST ${attributesClasses}`,
        { metadata: { name: "bad" }, parameters: { a: "b" } },
        '422 Invalid: VolumeAttributesClass.storage.k8s.io "bad" is invalid: driverName: Required value',
      ],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
