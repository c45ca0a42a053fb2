import { expect, test } from "bun:test";
import { addAndAttach, addNode } from "../e2e/testing/objects.ts";
import { startE2eWorld } from "../e2e/testing/world.ts";
import { inetSockets } from "./testing/inet-sockets.ts";

test.skipIf(process.platform !== "linux")("a working controller has connections to the API server, and no other", async () => {
  await using world = await startE2eWorld();
  await addNode(world.cluster, "node", world.driver.settings.name);
  const sidecar = world.start("pod", ["--controllers=attacher", `--kubeconfig=${await world.kubeconfig("attacher")}`]);
  await addAndAttach(world, "data", "node");
  const peers = new Set(inetSockets(sidecar.pid).map(({ protocol, peerPort }) => `${protocol} ${peerPort}`));
  expect([...peers]).toEqual([`tcp ${new URL(world.cluster.url).port}`]);
});
