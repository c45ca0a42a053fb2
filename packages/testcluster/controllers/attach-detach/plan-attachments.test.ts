import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { ClusterNode, ClusterPod } from "../fields.ts";
import { attachment, driver, node, pod, volume } from "../testing/objects.ts";
import { planAttachments, type VolumeUse } from "./plan-attachments.ts";

const on = (nodeName: string, name = `on-${nodeName}`, namespace = "default"): ClusterPod =>
  pod(["data"], { metadata: { name, namespace }, spec: { nodeName } });
const use = (parts: Partial<VolumeUse> & { nodes?: readonly ClusterNode[] } = {}): VolumeUse => {
  const { nodes = [node("n1"), node("n2")], ...rest } = parts;
  return {
    volume: volume(),
    driver: driver(),
    pods: [],
    attachments: [],
    nodeNamed: (name) => nodes.find((it) => it.metadata.name === name),
    isOurs: () => true,
    ...rest,
  };
};
const nameOn = (nodeName: string) => `csi-${createHash("sha256").update(`handle-1csi.example.com${nodeName}`).digest("hex")}`;
const shared = volume({ spec: { accessModes: ["ReadWriteOnce", "ReadWriteMany"] } });
const inUse = node("n1", {}, { status: { volumesInUse: ["kubernetes.io/csi/csi.example.com^handle-1"] } });
const blocked = (why: string) => [`on-n2: Multi-Attach error for volume "pv-1" ${why}`];

type Row = readonly [name: string, use: VolumeUse, create: readonly string[], remove: readonly string[], refuse: readonly string[]];
const rows: readonly Row[] = [
  ["a pod on a node", use({ pods: [on("n1")] }), [nameOn("n1")], [], []],
  ["no CSIDriver object means attach", use({ driver: undefined, pods: [on("n1")] }), [nameOn("n1")], [], []],
  ["the driver does not attach", use({ driver: driver({ attachRequired: false }), pods: [on("n1")] }), [], [], []],
  ["an unknown node", use({ pods: [on("n9")] }), [], [], []],
  ["a node that attaches by itself", use({ nodes: [node("n1", {}, { metadata: { annotations: {} } })], pods: [on("n1")] }), [], [], []],
  ["attached already", use({ pods: [on("n1")], attachments: [attachment("va", "n1")] }), [], [], []],
  ["two pods on one node", use({ pods: [on("n1"), on("n1", "b")] }), [nameOn("n1")], [], []],
  ["no pod is left", use({ attachments: [attachment("va", "n1")] }), [], ["va"], []],
  ["the volume is gone", use({ volume: undefined, attachments: [attachment("va", "n1")] }), [], ["va"], []],
  ["no pod is left, but the node still has it mounted", use({ nodes: [inUse], attachments: [attachment("va", "n1")] }), [], [], []],
  ["somebody made the attachment by hand", use({ attachments: [attachment("va", "n1")], isOurs: () => false }), [], [], []],
  [
    "being detached already",
    use({ attachments: [attachment("va", "n1", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } })] }),
    [],
    [],
    [],
  ],
  ["shared volumes go to all nodes", use({ volume: shared, pods: [on("n1"), on("n2")] }), [nameOn("n1"), nameOn("n2")], [], []],
  [
    "two nodes want an exclusive volume",
    use({ pods: [on("n1"), on("n2")] }),
    [nameOn("n1")],
    [],
    blocked("Volume is already exclusively attached to one node and can't be attached to another"),
  ],
  [
    "another node's pod has it",
    use({ pods: [on("n1"), on("n2")], attachments: [attachment("va", "n1")] }),
    [],
    [],
    blocked("Volume is already used by pod(s) on-n1"),
  ],
  [
    "pods of other namespaces have it",
    use({ pods: [on("n1"), on("n1", "x", "team"), on("n2")], attachments: [attachment("va", "n1")] }),
    [],
    [],
    blocked("Volume is already used by pod(s) on-n1 and 1 pod(s) in different namespaces"),
  ],
  [
    "the pod moved: detach first",
    use({ pods: [on("n2")], attachments: [attachment("va", "n1")] }),
    [],
    ["va"],
    blocked("Volume is already exclusively attached to one node and can't be attached to another"),
  ],
];

describe("planAttachments", () => {
  test.each(rows)("%s", (_name, given, create, remove, refuse) => {
    const plan = planAttachments(given);
    expect(plan.create.map(({ metadata }) => metadata.name)).toEqual([...create]);
    expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual([...remove]);
    expect(plan.refuse.map(({ pod: told, message }) => `${told.metadata.name}: ${message}`)).toEqual([...refuse]);
  });

  test("says driver, node and volume", () => {
    expect(planAttachments(use({ pods: [on("n1")] })).create[0]?.spec).toEqual({
      attacher: "csi.example.com",
      nodeName: "n1",
      source: { persistentVolumeName: "pv-1" },
    });
  });
});
