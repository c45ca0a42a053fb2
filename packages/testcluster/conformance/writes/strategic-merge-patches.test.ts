import { test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { claim, claims, configMap, csiNode, csiNodes, events, maps, volume, volumes } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const fin = "external-provisioner.volume.kubernetes.io/finalizer";
const protection = "kubernetes.io/pv-protection";
const condition = (type: string, status = "True", rest = {}) => ({
  type,
  status,
  lastProbeTime: null,
  lastTransitionTime: "2026-01-02T03:04:05Z",
  ...rest,
});
const claimStatus = (status: object, metadata = {}) => ({ metadata, status });

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "finalizers are added and removed one by one",
    [
      [`POST ${volumes}`, volume("a"), "201"],
      [
        `STRATEGIC ${volumes}/a`,
        { metadata: { "$setElementOrder/finalizers": [protection, fin], finalizers: [fin] } },
        "200",
        { "metadata.finalizers": ["kubernetes.io/pv-protection", "external-provisioner.volume.kubernetes.io/finalizer"] },
      ],
      [
        `STRATEGIC ${volumes}/a`,
        { metadata: { finalizers: [fin] } },
        "200",
        { "metadata.finalizers": ["kubernetes.io/pv-protection", "external-provisioner.volume.kubernetes.io/finalizer"] },
      ],
      [
        `STRATEGIC ${volumes}/a`,
        { metadata: { finalizers: ["example.com/c"] } },
        "200",
        { "metadata.finalizers": ["example.com/c", "kubernetes.io/pv-protection", "external-provisioner.volume.kubernetes.io/finalizer"] },
      ],
      [
        `STRATEGIC ${volumes}/a`,
        { metadata: { "$deleteFromPrimitiveList/finalizers": [fin], "$setElementOrder/finalizers": [protection, "example.com/c"] } },
        "200",
        { "metadata.finalizers": ["kubernetes.io/pv-protection", "example.com/c"] },
      ],
      [
        `STRATEGIC ${volumes}/a`,
        { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/unknown"] } },
        "200",
        { "metadata.finalizers": ["kubernetes.io/pv-protection", "example.com/c"] },
      ],
      [
        `STRATEGIC ${volumes}/a`,
        { metadata: { "$deleteFromPrimitiveList/finalizers": [protection, "example.com/c"] } },
        "200",
        { "metadata.finalizers": undefined },
      ],
      [
        `STRATEGIC ${volumes}/a`,
        { metadata: { finalizers: [fin] } },
        "200",
        { "metadata.finalizers": ["external-provisioner.volume.kubernetes.io/finalizer"] },
      ],
      [`STRATEGIC ${volumes}/a`, { metadata: { finalizers: null } }, "200", { "metadata.finalizers": undefined }],
    ],
  ],
  [
    "a resize: conditions are merged by their type, maps by their keys",
    [
      [`POST ${claims}`, claim("r"), "201"],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({ conditions: [condition("Resizing")] }),
        "200",
        { "status.conditions": [{ type: "Resizing", status: "True", lastProbeTime: null, lastTransitionTime: "<time>" }] },
      ],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({
          conditions: [condition("FileSystemResizePending", "True", { message: "Waiting" })],
          "$setElementOrder/conditions": [{ type: "FileSystemResizePending" }, { type: "Resizing" }],
        }),
        "200",
        {
          "status.conditions": [
            { type: "FileSystemResizePending", status: "True", lastProbeTime: null, lastTransitionTime: "<time>", message: "Waiting" },
            { type: "Resizing", status: "True", lastProbeTime: null, lastTransitionTime: "<time>" },
          ],
        },
      ],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({ conditions: [{ type: "Resizing", status: "False" }] }),
        "200",
        {
          "status.conditions": [
            { type: "FileSystemResizePending", status: "True", lastProbeTime: null, lastTransitionTime: "<time>", message: "Waiting" },
            { type: "Resizing", status: "False", lastProbeTime: null, lastTransitionTime: "<time>" },
          ],
        },
      ],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({
          conditions: [{ $patch: "delete", type: "Resizing" }],
          "$setElementOrder/conditions": [{ type: "FileSystemResizePending" }],
        }),
        "200",
        {
          "status.conditions": [
            { type: "FileSystemResizePending", status: "True", lastProbeTime: null, lastTransitionTime: "<time>", message: "Waiting" },
          ],
        },
      ],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({
          capacity: { storage: "1Gi" },
          allocatedResources: { storage: "2Gi" },
          allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
        }),
        "200",
        {
          "status.capacity": { storage: "1Gi" },
          "status.allocatedResources": { storage: "2Gi" },
          "status.allocatedResourceStatuses": { storage: "ControllerResizeInProgress" },
        },
      ],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({ allocatedResourceStatuses: null, conditions: null }, { annotations: { a: "b" } }),
        "200",
        { "status.allocatedResourceStatuses": undefined, "status.conditions": undefined, "metadata.annotations": { a: "b" } },
      ],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({ allocatedResourceStatuses: { storage: "Nonsense" } }),
        '422 Invalid: PersistentVolumeClaim "r" is invalid: status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      ],
      [
        `STRATEGIC ${claims}/r/status`,
        claimStatus({}, { resourceVersion: "1" }),
        '409 Conflict: Operation cannot be fulfilled on persistentvolumeclaims "r": the object has been modified; please apply your changes to the latest version and try again',
      ],
    ],
  ],
  [
    "a volume's capacity, and lists that are replaced whole",
    [
      [`POST ${volumes}`, volume("b", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"], mountOptions: ["a", "b"] }), "201"],
      [`STRATEGIC ${volumes}/b`, { spec: { capacity: { storage: "2Gi" } } }, "200", { "spec.capacity": { storage: "2Gi" } }],
      [`STRATEGIC ${volumes}/b`, { metadata: { annotations: { x: "y" } } }, "200", { "metadata.annotations": { x: "y" } }],
      [`STRATEGIC ${volumes}/b`, { metadata: { annotations: { x: null } } }, "200", { "metadata.annotations": undefined }],
      [`STRATEGIC ${volumes}/b`, { spec: { mountOptions: ["c"] } }, "200", { "spec.mountOptions": ["c"] }],
      [`STRATEGIC ${volumes}/b`, { spec: { accessModes: ["ReadWriteMany"] } }, "200", { "spec.accessModes": ["ReadWriteMany"] }],
    ],
  ],
  [
    "drivers of a node are merged by name",
    [
      [`POST ${csiNodes}`, csiNode("n", { name: "a", nodeID: "1", topologyKeys: ["z"] }), "201"],
      [
        `STRATEGIC ${csiNodes}/n`,
        { spec: { drivers: [{ name: "b", nodeID: "2", topologyKeys: null }] } },
        "200",
        {
          "spec.drivers": [
            { name: "b", nodeID: "2", topologyKeys: null },
            { name: "a", nodeID: "1", topologyKeys: ["z"] },
          ],
        },
      ],
      [
        `STRATEGIC ${csiNodes}/n`,
        { spec: { drivers: [{ $patch: "delete", name: "a" }] } },
        "200",
        { "spec.drivers": [{ name: "b", nodeID: "2", topologyKeys: null }] },
      ],
    ],
  ],
  [
    "an event is counted",
    [
      [
        `POST ${events}`,
        {
          metadata: { name: "e" },
          involvedObject: { kind: "Pod", namespace: "default", name: "p" },
          reason: "R",
          message: "m",
          type: "Normal",
          count: 1,
          source: { component: "c" },
        },
        "201",
      ],
      [
        `STRATEGIC ${events}/e`,
        { count: 2, lastTimestamp: "2026-01-02T03:04:05Z", message: "n" },
        "200",
        { count: 2, message: "n", lastTimestamp: "<time>" },
      ],
    ],
  ],
  [
    "directives",
    [
      [`POST ${maps}`, configMap("d", { a: "1", b: "2" }), "201"],
      [`STRATEGIC ${maps}/d`, { data: { $patch: "replace", c: "3" } }, "200", { data: { c: "3" } }],
      [`STRATEGIC ${maps}/d`, { data: { $patch: "delete" } }, "200", { data: undefined }],
      [`STRATEGIC ${maps}/d`, { metadata: { $patch: "nonsense" } }, "500: unknown patch type: nonsense in map: map[$patch:nonsense]"],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
