import { expect, test } from "bun:test";
import { Secret } from "@csi-sidecars/kube";
import { silverClaim, startModifyWorld } from "./testing/modify-world.ts";

test("a secret that cannot be read because the API server is out of reach is no failure that users are told of", async () => {
  await using world = await startModifyWorld();
  const secret = { namespace: "default", name: "modify" };
  await world.create(Secret, { metadata: secret, stringData: { key: "value" } });
  world.disturb({ verb: "get", resource: Secret, how: "lost", times: 2 });
  const annotations = {
    "volume.kubernetes.io/controller-modify-secret-name": secret.name,
    "volume.kubernetes.io/controller-modify-secret-namespace": secret.namespace,
  };
  await world.addClaim(silverClaim({ volume: { metadata: { annotations } } }));
  await world.nameClass("gold");
  await world.untilModified("gold");
  await world.stop();
  expect((await world.events()).filter((event) => event.startsWith("Warning"))).toEqual([]);
  expect(world.tiers()).toEqual(["gold"]);
});
