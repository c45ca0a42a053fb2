import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { outcome, startWorld, type World } from "./testing/driver-world.ts";
import { create, GiB, mount, named } from "./testing/requests.ts";

const thousand = Array.from({ length: 1_000 }, (_, index) => index);
const everything = { attach: true, modify: true, mountMode: "symlink" } as const;

/** One call after another of those that can be made for a volume; each is right in some order of all. */
function anyCall({ client, path }: World, volumeId: string, index: number): Promise<unknown> {
  const { controller, node } = client;
  const paths = { volumeId, stagingTargetPath: path("stage"), volumeCapability: mount("SINGLE_NODE_MULTI_WRITER") };
  const targetPath = path(`target-${index % 7}`);
  const calls = [
    () => controller.createVolume(named("one")),
    () => controller.controllerPublishVolume({ ...paths, nodeId: "node-1" }),
    () => controller.controllerUnpublishVolume({ volumeId, nodeId: "node-1" }),
    () => controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: GiB + BigInt(index) } }),
    () => controller.controllerModifyVolume({ volumeId, mutableParameters: { iops: String(index) } }),
    () => controller.controllerGetVolume({ volumeId }),
    () => node.nodeStageVolume(paths),
    () => node.nodePublishVolume({ ...paths, targetPath }),
    () => node.nodeUnpublishVolume({ volumeId, targetPath }),
    () => node.nodeUnstageVolume(paths),
  ];
  return calls[index % calls.length]?.() ?? Promise.resolve();
}

describe("a thousand calls at once", () => {
  test("for a thousand volumes: each is made once, and all are there after a restart", async () => {
    await using world = await startWorld({ mountMode: "none" });
    const twice = [...thousand, ...thousand].map((index) => create(world, named(`v${index % 1_000}`)));
    expect(new Set(await Promise.all(twice)).size).toBe(1_000);
    await world.restart("kill");
    expect(world.driver.state.volumes).toHaveLength(1_000);
    expect(await readdir(join(world.stateDir, ".pending"))).toEqual([]);
  }, 60_000);

  test.each(["wait", "aborted"] as const)(
    "for one volume, of which the second has to %s: none is lost, and the state is a whole one",
    async (policy) => {
      await using world = await startWorld(everything);
      const volumeId = await create(world, named("one"));
      world.driver.script.pendingPolicy(policy);
      const outcomes = await Promise.all(thousand.map((index) => outcome(anyCall(world, volumeId, index))));
      const codes = new Set(outcomes.map((text) => text.split(":")[0]));
      // Out of order means not attached (INTERNAL), not staged, or still published.
      const expected = ["OK", "FailedPrecondition", "Internal", "InvalidArgument", ...(policy === "aborted" ? ["Aborted"] : [])];
      expect([...codes].filter((code) => !expected.includes(code ?? ""))).toEqual([]);
      // The policy has an effect, and calls get through all the same.
      expect([codes.has("Aborted"), codes.has("OK")]).toEqual([policy === "aborted", true]);
      const internal = outcomes.filter((text) => text.startsWith("Internal") && !/must be called|still published/.test(text));
      expect(internal).toEqual([]);
      world.driver.script.pendingPolicy("wait");
      const [volume] = world.driver.state.volumes;
      const found = (await readdir(world.folder)).filter((name) => name.startsWith("target-")).map((name) => world.path(name));
      expect(found.sort()).toEqual((volume?.published ?? []).map(({ target }) => target).sort());
      await world.restart("kill");
      expect(world.driver.state.volumes).toEqual([volume!]);
      await world.client.controller.deleteVolume({ volumeId });
      expect((await readdir(world.folder)).filter((name) => name.startsWith("target-"))).toEqual([]);
    },
    60_000,
  );
});
