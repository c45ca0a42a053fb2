import { beforeAll, test } from "bun:test";
import { startCluster } from "../../cluster/start-cluster.ts";
import { fileCluster } from "../testing/file-cluster.ts";
import { attributesClasses, claim, claims, volume, volumes } from "../testing/fixtures.ts";
import { follow, type Step } from "../testing/steps.ts";

const file = fileCluster(() => startCluster());
const time = "2026-01-02T03:04:05Z";
const notRequired = "volume.kubernetes.io/node-expansion-not-required";
const preResize = "volume.alpha.kubernetes.io/pre-resize-capacity";
const condition = (type: string, more: object = {}) => ({
  type,
  status: "True",
  lastProbeTime: null,
  lastTransitionTime: time,
  ...more,
});
const stored = (type: string, more: object = {}) => condition(type, { lastTransitionTime: "<time>", ...more });
const removed = (type: string) => ({ $patch: "delete", type });
const conflict = (name: string) =>
  `409 Conflict: Operation cannot be fulfilled on persistentvolumeclaims "${name}": the object has been modified; please apply your changes to the latest version and try again`;
const bound = { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
/** A patch of the version that was answered last. */
const onLast = (patch: { readonly metadata?: object; readonly status?: object }) => (last: { metadata: { resourceVersion: string } }) => ({
  ...patch,
  metadata: { ...patch.metadata, resourceVersion: last.metadata.resourceVersion },
});

beforeAll(async () => {
  await follow(file.admin, [
    [`POST ${attributesClasses}`, { metadata: { name: "gold" }, driverName: "csi.example.com", parameters: { iops: "1" } }, "201"],
  ]);
});

const scenarios: readonly [what: string, steps: readonly Step[]][] = [
  [
    "an expansion from the first mark to the end",
    [
      [`POST ${claims}`, claim("grow", {}, { annotations: { [notRequired]: "true", other: "kept" } }), "201"],
      [`MERGE ${claims}/grow/status`, { status: bound }, "200"],
      [
        `STRATEGIC ${claims}/grow/status`,
        onLast({
          metadata: { annotations: { [notRequired]: null } },
          status: {
            conditions: [condition("Resizing")],
            allocatedResources: { storage: "2G" },
            allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
          },
        }),
        "200",
        {
          "metadata.annotations": { other: "kept" },
          "status.conditions": [stored("Resizing")],
          "status.allocatedResources": { storage: "2G" },
          "status.allocatedResourceStatuses": { storage: "ControllerResizeInProgress" },
          "status.capacity": { storage: "1Gi" },
        },
      ],
      [
        `STRATEGIC ${claims}/grow/status`,
        onLast({
          status: {
            "$setElementOrder/conditions": [{ type: "Resizing" }, { type: "FileSystemResizePending" }],
            conditions: [condition("FileSystemResizePending", { message: "Waiting" })],
            allocatedResourceStatuses: { storage: "NodeResizePending" },
          },
        }),
        "200",
        {
          "status.conditions": [stored("Resizing"), stored("FileSystemResizePending", { message: "Waiting" })],
          "status.allocatedResourceStatuses": { storage: "NodeResizePending" },
        },
      ],
      [
        `STRATEGIC ${claims}/grow/status`,
        onLast({
          metadata: { annotations: { [notRequired]: "true" } },
          status: {
            capacity: { storage: "2048Mi" },
            conditions: [removed("Resizing"), removed("FileSystemResizePending")],
            allocatedResourceStatuses: null,
          },
        }),
        "200",
        {
          "metadata.annotations": { other: "kept", [notRequired]: "true" },
          "status.conditions": undefined,
          "status.capacity": { storage: "2Gi" },
          "status.allocatedResources": { storage: "2G" },
          "status.allocatedResourceStatuses": undefined,
        },
      ],
    ],
  ],
  [
    "what others wrote survives",
    [
      [`POST ${claims}`, claim("others"), "201"],
      [
        `MERGE ${claims}/others/status`,
        {
          status: {
            ...bound,
            conditions: [condition("Unused"), condition("Resizing"), condition("ModifyingVolume")],
            allocatedResources: { storage: "2Gi", "example.com/fast": "1" },
            allocatedResourceStatuses: { storage: "NodeResizePending", "example.com/fast": "NodeResizePending" },
          },
        },
        "200",
      ],
      [
        `STRATEGIC ${claims}/others/status`,
        {
          status: {
            "$setElementOrder/conditions": [{ type: "Unused" }, { type: "ModifyingVolume" }],
            conditions: [removed("Resizing"), removed("NodeResizeError")],
            allocatedResourceStatuses: { storage: null },
          },
        },
        "200",
        {
          "status.conditions": [stored("Unused"), stored("ModifyingVolume")],
          "status.allocatedResources": { storage: "2Gi", "example.com/fast": "1" },
          "status.allocatedResourceStatuses": { "example.com/fast": "NodeResizePending" },
        },
      ],
      [
        `STRATEGIC ${claims}/others/status`,
        { status: { allocatedResourceStatuses: { "example.com/fast": null } } },
        "200",
        { "status.allocatedResourceStatuses": undefined },
      ],
      [
        `STRATEGIC ${claims}/others/status`,
        { status: { conditions: [{ type: "Unused", message: "since" }] } },
        "200",
        { "status.conditions": [stored("Unused", { message: "since" }), stored("ModifyingVolume")] },
      ],
    ],
  ],
  [
    "a patch of an old version",
    [
      [`POST ${claims}`, claim("raced"), "201"],
      [`STRATEGIC ${claims}/raced/status`, onLast({ status: bound }), "200"],
      [
        `STRATEGIC ${claims}/raced/status`,
        { metadata: { resourceVersion: "1" }, status: { capacity: { storage: "9Gi" } } },
        conflict("raced"),
      ],
      [`STRATEGIC ${claims}/raced/status`, onLast({}), "200", { "status.capacity": { storage: "1Gi" } }],
      [`STRATEGIC ${claims}/raced`, { metadata: { resourceVersion: "1", labels: { a: "b" } } }, conflict("raced")],
      [`MERGE ${claims}/raced/status`, { metadata: { resourceVersion: "1" } }, conflict("raced")],
      [
        `STRATEGIC ${claims}/raced/status`,
        { metadata: { uid: "11111111-1111-1111-1111-111111111111" }, status: { capacity: { storage: "9Gi" } } },
        '422 Invalid: PersistentVolumeClaim "raced" is invalid: metadata.uid: Invalid value: "<uid>": field is immutable',
      ],
    ],
  ],
  [
    "the status subresource does not touch the spec",
    [
      [`POST ${claims}`, claim("spec"), "201"],
      [
        `STRATEGIC ${claims}/spec/status`,
        { spec: { volumeName: "x", resources: { requests: { storage: "9Gi" } } }, status: bound },
        "200",
        { "spec.volumeName": undefined, "spec.resources": { requests: { storage: "1Gi" } }, "status.phase": "Bound" },
      ],
      [`STRATEGIC ${claims}/spec`, { status: { phase: "Lost" } }, "200", { "status.phase": "Bound" }],
    ],
  ],
  [
    "sizes and states that cannot be",
    [
      [`POST ${claims}`, claim("bad"), "201"],
      [
        `STRATEGIC ${claims}/bad/status`,
        { status: { capacity: { storage: "-1Gi" } } },
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: status.capacity[storage]: Invalid value: -1073741824: must be a valid resource quantity',
      ],
      [
        `STRATEGIC ${claims}/bad/status`,
        { status: { allocatedResources: { cpu: "1" } } },
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
      ],
      [
        `STRATEGIC ${claims}/bad/status`,
        { status: { allocatedResourceStatuses: { cpu: "NodeResizePending" } } },
        '422 Invalid: PersistentVolumeClaim "bad" is invalid: status.allocatedResourceStatuses: Unsupported value: "cpu": supported values: "storage"',
      ],
      [`STRATEGIC ${claims}/bad/status`, { status: { capacity: { storage: "x" } } }, "422 Invalid"],
    ],
  ],
  [
    "the volume of an expansion",
    [
      [`POST ${volumes}`, volume("pv"), "201"],
      [
        `STRATEGIC ${volumes}/pv`,
        { metadata: { annotations: { [preResize]: "1Gi" } }, spec: { capacity: { storage: "2560Mi" } } },
        "200",
        { "metadata.annotations": { [preResize]: "1Gi" }, "spec.capacity": { storage: "2560Mi" } },
      ],
      [`STRATEGIC ${volumes}/pv`, { metadata: { annotations: { [preResize]: null } } }, "200", { "metadata.annotations": undefined }],
      [`STRATEGIC ${volumes}/pv`, { metadata: { annotations: { [preResize]: null } } }, "200", { "metadata.annotations": undefined }],
      [`STRATEGIC ${volumes}/pv`, { spec: { capacity: { storage: "1Gi" } } }, "200", { "spec.capacity": { storage: "1Gi" } }],
      [`STRATEGIC ${volumes}/pv`, { spec: { volumeAttributesClassName: "gold" } }, "200", { "spec.volumeAttributesClassName": "gold" }],
      [`STRATEGIC ${volumes}/pv`, { spec: { volumeAttributesClassName: "silver" } }, "200", { "spec.volumeAttributesClassName": "silver" }],
      [
        `STRATEGIC ${volumes}/pv`,
        { spec: { volumeAttributesClassName: null } },
        '422 Invalid: PersistentVolume "pv" is invalid: spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden',
      ],
      [
        `STRATEGIC ${volumes}/pv`,
        { spec: { volumeAttributesClassName: "" } },
        '422 Invalid: PersistentVolume "pv" is invalid: spec.volumeAttributesClassName: Required value: an empty string is disallowed',
      ],
    ],
  ],
  [
    "a modification from the first mark to the end",
    [
      [`POST ${claims}`, claim("modify"), "201"],
      [`MERGE ${claims}/modify/status`, { status: bound }, "200"],
      [
        `STRATEGIC ${claims}/modify/status`,
        onLast({
          status: {
            modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "gold" },
            conditions: [condition("ModifyingVolume", { lastProbeTime: time, message: "in progress" })],
          },
        }),
        "200",
        {
          "status.modifyVolumeStatus": { status: "InProgress", targetVolumeAttributesClassName: "gold" },
          "status.conditions": [stored("ModifyingVolume", { lastProbeTime: "<time>", message: "in progress" })],
        },
      ],
      [
        `STRATEGIC ${claims}/modify/status`,
        {
          status: {
            modifyVolumeStatus: { status: "Infeasible" },
            conditions: [condition("ModifyVolumeError", { reason: "InvalidArgument" })],
          },
        },
        "200",
        { "status.modifyVolumeStatus": { status: "Infeasible", targetVolumeAttributesClassName: "gold" } },
      ],
      [
        `STRATEGIC ${claims}/modify/status`,
        {
          status: {
            modifyVolumeStatus: null,
            currentVolumeAttributesClassName: "gold",
            conditions: [removed("ModifyingVolume"), removed("ModifyVolumeError")],
          },
        },
        "200",
        {
          "status.modifyVolumeStatus": undefined,
          "status.currentVolumeAttributesClassName": "gold",
          "status.conditions": undefined,
        },
      ],
      [
        `STRATEGIC ${claims}/modify/status`,
        { status: { modifyVolumeStatus: { status: "Pending" } } },
        "200",
        { "status.modifyVolumeStatus": { status: "Pending" } },
      ],
    ],
  ],
  [
    "a class that was reached cannot be taken away, only replaced",
    [
      [`POST ${claims}`, claim("reached"), "201"],
      [`MERGE ${claims}/reached/status`, { status: bound }, "200"],
      [`MERGE ${claims}/reached`, { spec: { volumeAttributesClassName: "gold" } }, "200"],
      [`MERGE ${claims}/reached`, { spec: { volumeAttributesClassName: "" } }, "200", { "spec.volumeAttributesClassName": "" }],
      [`MERGE ${claims}/reached`, { spec: { volumeAttributesClassName: "gold" } }, "200"],
      [`MERGE ${claims}/reached/status`, { status: { currentVolumeAttributesClassName: "gold" } }, "200"],
      [
        `MERGE ${claims}/reached`,
        { spec: { volumeAttributesClassName: null } },
        '422 Invalid: PersistentVolumeClaim "reached" is invalid: spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
      [
        `MERGE ${claims}/reached`,
        { spec: { volumeAttributesClassName: "" } },
        '422 Invalid: PersistentVolumeClaim "reached" is invalid: spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
      [`MERGE ${claims}/reached`, { spec: { volumeAttributesClassName: "silver" } }, "200"],
    ],
  ],
];

test.each([...scenarios])("%s", (_what, steps) => follow(file.admin, steps));
