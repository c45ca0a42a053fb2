import { expect, test } from "bun:test";
import { Event } from "@csi-sidecars/kube";
import { type NodeWorld, startNodeWorld } from "./testing/node-world.ts";

const nodes = Array.from({ length: 100 }, (_, i) => `n${i}`);
const claimsPerNode = 10;

/** A hundred nodes with ten claims each. */
async function startWithNodes(): Promise<NodeWorld> {
  const world = await startNodeWorld({ stopped: true });
  for (const node of nodes) {
    await world.addNode(node);
    await Promise.all(
      Array.from({ length: claimsPerNode }, async (_, i) => {
        await world.addClaim({ name: `${node}-${i}` });
        await world.addPod(`${node}-${i}`, { node, claims: [`${node}-${i}`] });
      }),
    );
  }
  await world.run();
  return world;
}

async function countEvents({
  admin,
}: NodeWorld): Promise<{ readonly reasons: Record<string, number>; readonly counts: ReadonlySet<number> }> {
  const { items } = await admin.list(Event, { namespace: "default" });
  const ours = items.filter(({ involvedObject }) => involvedObject.name?.startsWith("n"));
  const reasons: Record<string, number> = {};
  for (const { reason = "" } of ours) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return { reasons, counts: new Set(ours.map(({ count = 0 }) => count)) };
}

test("a hundred nodes that are deleted at once: one event for each claim, and no other request", async () => {
  await using world = await startWithNodes();
  await Promise.all(nodes.map((node) => world.removeNode(node)));
  await world.untilTrue(async () => (await countEvents(world)).reasons.NodeFailed === 1_000, 60_000);
  await world.witness();
  expect(await countEvents(world)).toEqual({ reasons: { NodeFailed: 1_000 }, counts: new Set([1]) });
  expect(await world.requests()).toEqual([]);
  await Promise.all(nodes.map((node) => world.addNode(node)));
  await world.untilTrue(async () => (await countEvents(world)).reasons.NodeRecovered === 1_000, 60_000);
  await world.witness();
  expect(await countEvents(world)).toEqual({ reasons: { NodeFailed: 1_000, NodeRecovered: 1_000 }, counts: new Set([1]) });
}, 120_000);
