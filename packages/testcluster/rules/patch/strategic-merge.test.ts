import { describe, expect, test } from "bun:test";
import { CSINode, Event, Node, PersistentVolumeClaim, Pod, type Resource } from "@csi-sidecars/kube";
import type { ServedKind } from "../kind.ts";
import { applyStrategicMergePatch } from "./strategic-merge.ts";

const cases: [behaviour: string, kind: Resource, target: object, patch: object, result: object][] = [
  [
    "finalizers are a set, new ones come first",
    PersistentVolumeClaim,
    { metadata: { finalizers: ["a/1", "a/2"] } },
    { metadata: { finalizers: ["a/2", "a/3"] } },
    { metadata: { finalizers: ["a/1", "a/2", "a/3"] } },
  ],
  [
    "a new finalizer alone stands before the old ones",
    PersistentVolumeClaim,
    { metadata: { finalizers: ["a/1"] } },
    { metadata: { finalizers: ["a/2"] } },
    { metadata: { finalizers: ["a/2", "a/1"] } },
  ],
  [
    "finalizers are removed by their deletion list",
    PersistentVolumeClaim,
    { metadata: { finalizers: ["a/1", "a/2"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a/1"] } },
    { metadata: { finalizers: ["a/2"] } },
  ],
  [
    "owners merge by uid",
    Pod,
    { metadata: { ownerReferences: [{ uid: "1", name: "a" }] } },
    { metadata: { ownerReferences: [{ uid: "1", name: "b" }] } },
    { metadata: { ownerReferences: [{ uid: "1", name: "b" }] } },
  ],
  [
    "claim conditions merge by type",
    PersistentVolumeClaim,
    { status: { phase: "Bound", conditions: [{ type: "Resizing", status: "True", message: "m" }] } },
    { status: { conditions: [{ type: "Resizing", status: "False" }] } },
    { status: { phase: "Bound", conditions: [{ type: "Resizing", status: "False", message: "m" }] } },
  ],
  [
    "an item is deleted by its key",
    PersistentVolumeClaim,
    { status: { conditions: [{ type: "Resizing" }, { type: "FileSystemResizePending" }] } },
    { status: { conditions: [{ type: "Resizing", $patch: "delete" }] } },
    { status: { conditions: [{ type: "FileSystemResizePending" }] } },
  ],
  [
    "a list is replaced on demand",
    PersistentVolumeClaim,
    { status: { conditions: [{ type: "Resizing" }] } },
    { status: { conditions: [{ $patch: "replace" }, { type: "ModifyingVolume" }] } },
    { status: { conditions: [{ type: "ModifyingVolume" }] } },
  ],
  [
    "an order list moves items",
    PersistentVolumeClaim,
    { status: { conditions: [{ type: "A" }, { type: "B" }] } },
    { status: { "$setElementOrder/conditions": [{ type: "B" }, { type: "A" }], conditions: [{ type: "A", status: "True" }] } },
    { status: { conditions: [{ type: "B" }, { type: "A", status: "True" }] } },
  ],
  [
    "a client's order list with a new condition keeps the others",
    PersistentVolumeClaim,
    { status: { conditions: [{ type: "A" }] } },
    { status: { "$setElementOrder/conditions": [{ type: "A" }, { type: "B" }], conditions: [{ type: "B" }] } },
    { status: { conditions: [{ type: "A" }, { type: "B" }] } },
  ],
  [
    "drivers of a CSINode merge by name, their topology keys are replaced",
    CSINode,
    { spec: { drivers: [{ name: "a", nodeID: "1", topologyKeys: ["x"] }] } },
    {
      spec: {
        drivers: [
          { name: "a", topologyKeys: ["y"] },
          { name: "b", nodeID: "2" },
        ],
      },
    },
    {
      spec: {
        drivers: [
          { name: "a", nodeID: "1", topologyKeys: ["y"] },
          { name: "b", nodeID: "2" },
        ],
      },
    },
  ],
  [
    "taints are replaced",
    Node,
    { spec: { taints: [{ key: "a" }] } },
    { spec: { taints: [{ key: "b" }] } },
    { spec: { taints: [{ key: "b" }] } },
  ],
  [
    "containers and their mounts merge by their keys",
    Pod,
    { spec: { containers: [{ name: "c", image: "i", volumeMounts: [{ mountPath: "/a", name: "v" }] }] } },
    { spec: { containers: [{ name: "c", volumeMounts: [{ mountPath: "/b", name: "w" }] }] } },
    {
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            volumeMounts: [
              { mountPath: "/b", name: "w" },
              { mountPath: "/a", name: "v" },
            ],
          },
        ],
      },
    },
  ],
  [
    "retained keys drop the other source of a volume",
    Pod,
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "v", $retainKeys: ["name", "secret"], secret: { secretName: "s" } }] } },
    { spec: { volumes: [{ name: "v", secret: { secretName: "s" } }] } },
  ],
  [
    "an object is replaced on demand",
    Pod,
    { metadata: { labels: { a: "1" } } },
    { metadata: { labels: { $patch: "replace", b: "2" } } },
    { metadata: { labels: { b: "2" } } },
  ],
  [
    "an object is emptied on demand",
    Pod,
    { metadata: { labels: { a: "1" } } },
    { metadata: { labels: { $patch: "delete" } } },
    { metadata: { labels: {} } },
  ],
  ["null removes a member", Event, { series: { count: 1 }, count: 1 }, { series: null, count: 2 }, { count: 2 }],
  ["nulls and directives in what is new leave no trace", Pod, {}, { spec: { a: null, b: { $patch: "delete" }, c: 1 } }, { spec: { c: 1 } }],
];

describe("strategic merge patch", () => {
  test.each(cases)("%s", (_, kind, target, patch, result) => {
    const before = structuredClone(target);
    expect(applyStrategicMergePatch(kind, { ...target }, patch)).toEqual({ ...result });
    expect(target).toEqual(before);
  });
});

describe("a strategic merge patch that cannot be applied", () => {
  const custom: ServedKind = { ...Pod, custom: true };
  const failures: [behaviour: string, kind: ServedKind, patch: unknown, code: number, message: string][] = [
    [
      "a custom kind",
      custom,
      {},
      415,
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    ],
    ["a list", Pod, [], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"],
    ["an unknown directive", Pod, { metadata: { $patch: "foo" } }, 500, "unknown patch type: foo in map: map[$patch:foo]"],
    [
      "items in another order than asked for",
      Pod,
      { metadata: { finalizers: ["a/1", "a/2"], "$setElementOrder/finalizers": ["a/2", "a/1"] } },
      500,
      "The order in patch list:\n[a/1 a/2]\n doesn't match $setElementOrder list:\n[a/2 a/1]\n",
    ],
    [
      "an item without its key",
      Pod,
      { spec: { containers: [{ image: "i" }] } },
      500,
      "map: map[image:i] does not contain declared merge key: name",
    ],
    [
      "keys to retain in a map that is not there",
      Pod,
      { metadata: { labels: { $retainKeys: ["a"], a: "1" } } },
      422,
      ' "" is invalid: patch: Invalid value: "map[metadata:map[labels:map[$retainKeys:[a] a:1]]]": unrecognized type: string',
    ],
    [
      "keys that are not retained",
      Pod,
      { spec: { $retainKeys: ["containers"], nodeName: "n" } },
      400,
      "invalid patch format of retainKeys",
    ],
  ];
  test.each(failures)("%s", (_, kind, patch, code, message) => {
    const target = { metadata: {}, spec: { containers: [{ name: "c" }] } };
    expect(() => applyStrategicMergePatch(kind, target, patch)).toThrow(
      expect.objectContaining({ message, status: expect.objectContaining({ code }) }),
    );
  });
});
