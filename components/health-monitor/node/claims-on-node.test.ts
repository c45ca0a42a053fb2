import { describe, expect, test } from "bun:test";
import { Event, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type BoundClaim, driverName, inDefault } from "../testing/objects.ts";
import { limitMs, startNodeWorld, text } from "./testing/node-world.ts";

const ephemeral = (name: string) => ({
  name,
  ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } } } },
});

describe("which pods count", () => {
  test("one that was not scheduled yet when it was created", async () => {
    await using world = await startNodeWorld();
    await world.addNode("n1");
    await world.addClaim();
    await world.addPod("web", { claims: ["data"] });
    await world.bindPod("web", "n1");
    await world.removeNode("n1");
    await world.untilTold([text.failed("data", "n1", ["web"])]);
  });

  test("all that use the claim on the node, by name, each once", async () => {
    await using world = await startNodeWorld();
    await world.addNode("n1");
    await world.addClaim();
    await world.addPod("web-2", { node: "n1", claims: ["data"] });
    await world.addPod("web-1", {
      ...{ node: "n1", claims: ["data"] },
      volumes: [{ name: "again", persistentVolumeClaim: { claimName: "data" } }],
    });
    await world.addPod("web-0", { node: "n2", claims: ["data"] });
    await world.removeNode("n1");
    await world.untilEvent("data", "NodeFailed");
    expect(await world.told()).toEqual([text.failed("data", "n1", ["web-1", "web-2"])]);
  });

  test("one that was created anew on another node", async () => {
    await using world = await startNodeWorld();
    await world.addNode("n1");
    await world.addNode("n2");
    await world.addClaim();
    await world.addPod("web", { node: "n1", claims: ["data"] });
    await world.removePod("web");
    await world.addPod("web", { node: "n2", claims: ["data"] });
    await world.removeNode("n1");
    await world.witness();
    expect(await world.told()).toEqual([]);
    await world.removeNode("n2");
    await world.untilTold([text.failed("data", "n2", ["web"])]);
  });

  test("none that is deleted, whichever of its claims is ours", async () => {
    await using world = await startNodeWorld();
    await world.addNode("n1");
    await world.addClaim({ name: "other", spec: { csi: { driver: "other.example.com", volumeHandle: "h" } } });
    await world.addClaim({ name: "one" });
    await world.addClaim({ name: "two" });
    await world.addPod("web", { node: "n1", claims: ["other", "one", "two"] });
    await world.removePod("web");
    await world.removeNode("n1");
    await world.witness();
    expect([...(await world.told("one")), ...(await world.told("two"))]).toEqual([]);
  });

  test.each(["Succeeded", "Failed"] as const)("none that has %s", async (phase) => {
    await using world = await startNodeWorld();
    await world.addNode("n1");
    await world.addClaim();
    await world.addPod("job", { node: "n1", claims: ["data"] });
    await world.endPod("job", phase);
    await world.removeNode("n1");
    await world.witness();
    expect(await world.told()).toEqual([]);
  });

  test("one with an ephemeral volume, if it owns the claim", async () => {
    await using world = await startNodeWorld();
    await world.addNode("n1");
    const pod = await world.addPod("web", { node: "n1", volumes: [ephemeral("own"), ephemeral("foreign")] });
    await world.addClaim({ name: "web-own", owner: pod.metadata?.uid ?? "" });
    await world.addClaim({ name: "web-foreign" });
    await world.removeNode("n1");
    await world.untilTold([text.failed("web-own", "n1", ["web"])], "web-own");
    await world.witness();
    expect(await world.told("web-foreign")).toEqual([]);
  });
});

describe("which volumes count", () => {
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault("data"), uid: "8d9ba5f6-3f57-4e2b-9b1f-4b1c5f1de7a1" };
  test.each<[string, BoundClaim]>([
    ["of another driver", { spec: { csi: { driver: "other.example.com", volumeHandle: "handle-data" } } }],
    ["that is released", { phase: "Released" }],
    ["that was bound to an earlier claim of the name", { spec: { claimRef } }],
    ["without a claim", { spec: { claimRef: undefined } }],
  ])("none %s", async (_what, claim) => {
    await using world = await startNodeWorld();
    await world.addNode("n1");
    await world.addClaim(claim);
    await world.addPod("web", { node: "n1", claims: ["data"] });
    await world.removeNode("n1");
    await world.witness();
    expect(await world.told()).toEqual([]);
  });

  test("a claim that is missing keeps nobody else from being told, and costs nothing", async () => {
    await using world = await startNodeWorld({ stopped: true });
    await world.addNode("n1");
    await world.addClaim({ name: "a-gone" });
    await world.addClaim();
    await world.addPod("web", { node: "n1", claims: ["a-gone", "data"] });
    await world.cluster.removeUnderFinalizers(PersistentVolumeClaim, { namespace: "default", name: "a-gone" });
    await world.run();
    await world.removeNode("n1");
    await world.untilEvent("data", "NodeFailed");
    await world.witness();
    const lines = () => world.log.lines.filter(({ message }) => message === "The claim of a volume is missing");
    expect(lines().map(({ fields }) => fields)).toEqual([expect.objectContaining({ PV: "pv-a-gone", PVC: "default/a-gone" })]);
    expect(await world.told()).toEqual([text.failed("data", "n1", ["web"])]);
    await world.clock.advance(limitMs);
    await world.untilTrue(() => lines().length > 1);
    await world.witness();
    expect(lines()).toHaveLength(2);
  });
});

test("events come from upstream's component", async () => {
  await using world = await startNodeWorld();
  await world.addNode("n1");
  const { metadata } = await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.removeNode("n1");
  await world.untilEvent("data", "NodeFailed");
  const { items } = await world.admin.list(Event, { namespace: "default" });
  const [event] = items.filter(({ involvedObject }) => involvedObject.name === "data");
  expect(event).toMatchObject({
    source: { component: `csi-pv-monitor-controller-${driverName}` },
    reportingComponent: `csi-pv-monitor-controller-${driverName}`,
    involvedObject: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace: "default", name: "data", uid: metadata?.uid },
  });
});
