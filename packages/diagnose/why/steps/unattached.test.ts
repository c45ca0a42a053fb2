import { expect, test } from "bun:test";
import type { V1Pod } from "@csi-sidecars/kube";
import { ago, event, pod } from "../testing/objects.ts";
import { unattachedStep } from "./unattached.ts";

const user = (name: string, metadata: V1Pod["metadata"] = {}): V1Pod => ({
  ...pod({ nodeName: "n2" }, { phase: "Running" }),
  metadata: { name, namespace: "default", ...metadata },
});
const wanted = "volume pv-1 has to be attached to node n1";

test.each<[string, readonly string[], readonly V1Pod[] | undefined, "waiting" | "failed", string, RegExp]>([
  ["no attachment yet", [], undefined, "waiting", `${wanted}, and there is no VolumeAttachment yet`, /^if it stays so/],
  [
    "unknown users",
    ["n2"],
    undefined,
    "waiting",
    `${wanted}, and is still attached to n2`,
    /^stop the pod that uses it there; if that node/,
  ],
  ["no users", ["n2"], [], "waiting", `${wanted}, and is still attached to n2, where no pod uses it any more`, /^it is detached when/],
  [
    "a user that ends",
    ["n2"],
    [user("web-0", { deletionTimestamp: ago(1) })],
    "waiting",
    `${wanted}, and is still attached to n2, where pod default/web-0 is being deleted`,
    /^wait until it has ended; if that node is dead/,
  ],
  [
    "a user that stays",
    ["n2"],
    [user("web-0", { deletionTimestamp: ago(1) }), user("web-1")],
    "failed",
    `${wanted}, and is still attached to n2, where pod default/web-1 uses it`,
    /^stop that pod, or let the pods run on one node/,
  ],
  [
    "users that stay",
    ["n2"],
    [user("a"), user("b")],
    "failed",
    `${wanted}, and is still attached to n2, where pod default/a and pod default/b use it`,
    /^stop those pods/,
  ],
])("a volume without attachment to the pod's node: %s", (_, elsewhere, users, state, what, remedy) => {
  const found = unattachedStep({ volume: "pv-1", elsewhere, ...(users && { users }) }, "n1", []);
  expect([found.state, found.what]).toEqual([state, what]);
  expect(found.remedy).toMatch(remedy);
});

test("the report of the attach-detach controller is evidence, where it is about this volume", () => {
  const report = (volume: string) => event("Pod", "FailedAttachVolume", `Multi-Attach error for volume "${volume}" Volume is already used`);
  const evidence = (volume: string) => unattachedStep({ volume: "pv-1", elsewhere: ["n2"] }, "n1", [report(volume)]).evidence;
  expect(evidence("pv-1").map(({ field }) => field)).toEqual(["VolumeAttachment", "event FailedAttachVolume (3 times)"]);
  expect(evidence("pv-11").map(({ field }) => field)).toEqual(["VolumeAttachment"]);
});
