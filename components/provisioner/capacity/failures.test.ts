import { describe, expect, test } from "bun:test";
import { type Client, StorageClass, TransportError } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { startWorld } from "./testing/capacity-world.ts";
import { addClass, addNode } from "./testing/manifests.ts";

const ours = "fast zone=zone1 1Gi";

async function smallWorld() {
  const world = await startWorld();
  await addClass(world.admin, "fast");
  await addNode(world.admin, "n1", { zone: "zone1" });
  return world;
}

describe("the driver", () => {
  test.each(["Internal", "Unavailable", "DeadlineExceeded", "ResourceExhausted"] as const)(
    "that answers %s is asked again, later each time, and its object stays",
    async (code) => {
      await using world = await smallWorld();
      await world.start();
      await world.untilObjects(ours);
      const before = world.driver.calls("GetCapacity").length;
      world.driver.script("GetCapacity", ...Array.from({ length: 3 }, () => step.fail(code)));
      const start = world.clock.monotonic();
      world.room = () => ({ availableCapacity: 1n });
      await world.clock.advance(3_600_000);
      await world.untilObjects("fast zone=zone1 1");
      expect(world.driver.calls("GetCapacity").length).toBe(before + 4);
      // One, two, then four seconds of patience; the poll was due at most one of them after the start.
      expect(world.clock.monotonic() - start).toBeGreaterThanOrEqual(3_606_000);
      expect(await world.writes()).toEqual(["create", "patch"]);
    },
  );

  test("that fails for two hours is asked no more often in the second than in the first", async () => {
    await using world = await smallWorld();
    world.driver.always("GetCapacity", step.fail("Internal"));
    await world.start({ pollIntervalMs: 60_000 });
    const hour = async () => {
      const before = world.driver.calls("GetCapacity").length;
      for (let minute = 0; minute < 60; minute++) {
        const asked = world.driver.calls("GetCapacity").length;
        await world.clock.advance(60_000);
        await world.until(() => world.driver.calls("GetCapacity").filter(({ outcome }) => outcome).length > asked);
      }
      return world.driver.calls("GetCapacity").length - before;
    };
    const first = await hour();
    expect(first).toBeGreaterThanOrEqual(60);
    expect(await hour()).toBeLessThanOrEqual(first);
  });

  test("that cannot say is asked once per poll and complained about once", async () => {
    await using world = await smallWorld();
    world.driver.script("GetCapacity", ...Array.from({ length: 3 }, () => step.fail("Unimplemented")));
    await world.start();
    await world.until(() => world.driver.calls("GetCapacity").length === 1);
    await world.clock.advance(600_000);
    expect(world.driver.calls("GetCapacity")).toHaveLength(1);
    await world.pollTwice(1);
    expect(world.log.lines.filter(({ message }) => message.includes("does not implement GetCapacity"))).toHaveLength(1);
    await world.clock.advance(3_600_000);
    await world.untilObjects(ours);
  });

  test("that answers nonsense publishes nothing", async () => {
    await using world = await smallWorld();
    world.driver.script("GetCapacity", step.reply({ availableCapacity: -1n }));
    await world.start();
    await world.untilObjects(ours);
    expect(world.log.lines.some(({ error }) => String(error).includes("negative size: -1"))).toBe(true);
    expect(await world.refused()).toEqual([]);
  });

  test("that hangs does not hold up the end", async () => {
    await using world = await smallWorld();
    world.driver.script("GetCapacity", step.hang);
    const instance = await world.start();
    await world.driver.called("GetCapacity");
    const ended = instance.stop();
    await world.clock.advance(2_000);
    await ended;
    expect(await world.objects()).toEqual([]);
  });

  test("that is slow is not asked twice at a time about a pair", async () => {
    await using world = await smallWorld();
    const instance = await world.start({ threads: 4 });
    await world.untilObjects(ours);
    const before = world.driver.calls("GetCapacity").length;
    world.driver.script("GetCapacity", step.waitFor("slow", step.reply({ availableCapacity: 5n })));
    for (let count = 0; count < 10; count++) {
      instance.capacity.volumeChanged({ className: "fast" });
      await world.clock.advance(100);
    }
    await world.until(() => world.driver.calls("GetCapacity").length === before + 1);
    world.driver.release("slow");
    await world.until(() => world.driver.calls("GetCapacity").filter(({ outcome }) => outcome).length === before + 2);
    await world.untilObjects(ours);
    expect(world.driver.calls("GetCapacity")).toHaveLength(before + 2);
  });
});

describe("a class", () => {
  test("that goes while the driver is asked about it gets no object", async () => {
    await using world = await smallWorld();
    world.driver.script("GetCapacity", step.waitFor("gone", step.reply({ availableCapacity: 5n })));
    const instance = await world.start();
    await world.driver.called("GetCapacity");
    await world.admin.delete(StorageClass, { name: "fast" });
    await world.until(async () => (await instance.counts()).goal === 0);
    world.driver.release("gone");
    await addClass(world.admin, "witness");
    await world.untilObjects("witness zone=zone1 1Gi");
    expect(await world.writes()).toEqual(["create"]);
  });

  test("that goes while its object is made takes the object with it", async () => {
    await using world = await smallWorld();
    let goals = async (): Promise<number> => 1;
    const instance = await world.start({
      disturb: (client) =>
        ({
          ...client,
          create: async (...parameters: Parameters<Client["create"]>) => {
            const made = await client.create(...parameters);
            await world.admin.delete(StorageClass, { name: "fast" });
            await world.until(async () => (await goals()) === 0);
            return made;
          },
        }) as Client,
    });
    goals = async () => (await instance.counts()).goal;
    await world.until(async () => (await world.writes()).length === 2);
    await world.untilObjects();
    await world.until(async () => (await instance.counts()).obsolete === 0);
    expect(await world.writes()).toEqual(["create", "delete"]);
  });

  test("that is replaced while the driver is asked about it is asked about again", async () => {
    await using world = await smallWorld();
    world.driver.script("GetCapacity", step.waitFor("replaced", step.reply({ availableCapacity: 5n })));
    world.room = ({ parameters }) => ({ availableCapacity: parameters.pool === "big" ? 2n ** 31n : 2n ** 30n });
    const instance = await world.start();
    await world.driver.called("GetCapacity");
    await world.admin.delete(StorageClass, { name: "fast" });
    await world.until(async () => (await instance.counts()).goal === 0);
    await addClass(world.admin, "fast", { parameters: { pool: "big" } });
    await world.until(async () => (await instance.counts()).goal === 1);
    world.driver.release("replaced");
    await world.untilObjects("fast zone=zone1 2Gi");
  });
});

describe("volumes", () => {
  test("that come and go refresh the pairs they concern", async () => {
    await using world = await smallWorld();
    await addClass(world.admin, "slow");
    await addNode(world.admin, "n2", { zone: "zone2" });
    const instance = await world.start();
    await world.until(async () => (await instance.counts()).current === 4);
    const asked = () =>
      world.driver
        .calls("GetCapacity")
        .slice(4)
        .map(({ request }) => request.accessibleTopology?.segments.zone);
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["zone2"] }] }] } };
    world.room = () => ({ availableCapacity: 2n ** 20n });
    instance.capacity.volumeChanged({ className: "fast", nodeAffinity });
    await world.untilObjects(ours, "slow zone=zone1 1Gi", "fast zone=zone2 1Mi", "slow zone=zone2 1Mi");
    expect(asked()).toEqual(["zone2", "zone2"]);
    instance.capacity.volumeChanged({ className: "slow" });
    await world.untilObjects(ours, "slow zone=zone1 1Mi", "fast zone=zone2 1Mi", "slow zone=zone2 1Mi");
    await world.until(() => asked().length === 4);
    expect(asked().sort()).toEqual(["zone1", "zone2", "zone2", "zone2"]);
  });
});

describe("the API server", () => {
  const lost = () => new TransportError("reset", "the answer was lost");
  /** A client whose first call of the method takes effect, but whose answer never comes. */
  const losing = (method: "create" | "patch" | "delete") => (client: Client) => {
    let left = 1;
    const original = client[method].bind(client) as (...parameters: unknown[]) => Promise<unknown>;
    const call = async (...parameters: unknown[]) => {
      const answer = await original(...parameters);
      if (left-- > 0) throw lost();
      return answer;
    };
    return { ...client, [method]: call };
  };

  test("whose answer to a creation is lost gets no second object", async () => {
    await using world = await smallWorld();
    await world.start({ disturb: losing("create") });
    await world.untilObjects(ours);
    await world.pollTwice(1);
    expect(await world.objects()).toEqual([ours]);
  });

  test("gets one object from three processes that all believe there is none, as in a change of leaders", async () => {
    await using world = await smallWorld();
    world.driver.script(
      "GetCapacity",
      ...Array.from({ length: 3 }, () => step.waitFor("all", step.reply({ availableCapacity: 2n ** 30n }))),
    );
    await Promise.all([world.start(), world.start(), world.start()]);
    await world.driver.called("GetCapacity", 3);
    world.driver.release("all");
    await world.untilObjects(ours);
    await world.pollTwice(3);
    expect(await world.objects()).toEqual([ours]);
    expect(await world.writes()).not.toContain("delete");
  });

  test("whose answer to a patch is lost gets no other one", async () => {
    await using world = await smallWorld();
    await world.start({ disturb: losing("patch") });
    await world.untilObjects(ours);
    world.room = () => ({ availableCapacity: 2n });
    await world.pollTwice(1);
    await world.untilObjects("fast zone=zone1 2");
    await world.pollTwice(1);
    // A retry that is faster than the watch patches the version that it knows, and is refused.
    expect(await world.acceptedWrites()).toEqual(["create", "patch"]);
  });

  test("whose answer to a deletion is lost is not troubled by it", async () => {
    await using world = await smallWorld();
    await addClass(world.admin, "slow");
    const instance = await world.start({ disturb: losing("delete") });
    await world.untilObjects(ours, "slow zone=zone1 1Gi");
    await world.admin.delete(StorageClass, { name: "slow" });
    await world.untilObjects(ours);
    await world.until(async () => (await instance.counts()).obsolete === 0);
    await world.clock.advance(10_000);
    await world.pollTwice(1);
    expect(await world.writes()).toEqual(["create", "create", "delete"]);
  });

  test("that has a newer object than the cache is not overruled by an outdated one", async () => {
    await using world = await smallWorld();
    let edits = 1;
    const disturb = (client: Client): Client => ({
      ...client,
      // Somebody else is faster, every first time.
      async patch(...parameters) {
        if (edits-- > 0) await world.edit(ours, { metadata: { annotations: { seen: "true" } } });
        return client.patch(...parameters);
      },
    });
    await world.start({ disturb });
    await world.untilObjects(ours);
    world.room = () => ({ availableCapacity: 2n });
    await world.pollTwice(1);
    await world.untilObjects("fast zone=zone1 2");
    expect((await world.get("fast zone=zone1 2")).metadata?.annotations).toEqual({ seen: "true" });
    expect(await world.refused()).toEqual(["patch csistoragecapacities 409"]);
  });

  test("that refuses is asked again", async () => {
    await using world = await smallWorld();
    let refusals = 2;
    await world.start({
      disturb: (client) =>
        ({
          ...client,
          create: async (...parameters: Parameters<Client["create"]>) => {
            if (refusals-- > 0) throw lost();
            return client.create(...parameters);
          },
        }) as Client,
    });
    await world.untilObjects(ours);
    expect(refusals).toBe(-1);
  });
});
