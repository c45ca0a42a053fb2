import { describe, expect, test } from "bun:test";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { PersistentVolume } from "@csi-sidecars/kube";
import type { Disturbance } from "@csi-sidecars/testcluster";
import { type ProvisionerWorld, startWorld } from "../testing/provisioner-world.ts";

describe("a PersistentVolume that cannot be saved", () => {
  /** The first attempt has failed; the next one waits for the clock. */
  async function unsaved(how: Disturbance["how"], times = Number.POSITIVE_INFINITY) {
    const clock = new FakeClock();
    const world = await startWorld({ clock });
    world.disturb({ verb: "create", resource: PersistentVolume, how, times });
    await world.createClass();
    await world.createClaim("data");
    await failedAttempts(world, 1);
    return { world, clock };
  }

  const failures = ({ log }: ProvisionerWorld) =>
    log.lines.filter(({ message, fields }) => message.startsWith("Could not save the PersistentVolume") || "failures" in (fields ?? {}));
  const failedAttempts = (world: ProvisionerWorld, count: number) =>
    until(
      () => `${count} attempts: ${JSON.stringify(failures(world))}`,
      () => failures(world).length === count,
    );
  const warnings = async (world: ProvisionerWorld) => (await world.events("data")).filter((event) => event.includes("cannot be saved"));
  const warned = (world: ProvisionerWorld) =>
    world.untilEvent("data", "ProvisioningFailed: the volume exists, but its PersistentVolume cannot be saved: refused by the test");

  /** Events are sent in their order: a later one of another claim shows that there is none so far. */
  async function notWarned(world: ProvisionerWorld): Promise<void> {
    await world.createClaim("later", { selector: { matchLabels: { not: "supported" } } });
    await world.untilEvent("later", "ProvisioningFailed: claim Selector is not supported");
    expect(await warnings(world)).toEqual([]);
  }

  test("once raises no warning, and is logged as an error", async () => {
    const { world, clock } = await unsaved("failed", 1);
    await using _ = world;
    expect(failures(world).map(({ severity }) => severity)).toEqual(["error"]);
    await clock.advance(5);
    await world.bound("data");
    await world.untilEvent("data", "ProvisioningSucceeded");
    expect(await warnings(world)).toEqual([]);
    expect(world.driver.calls("CreateVolume")).toHaveLength(1);
  });

  test("raises a warning with the fifth attempt", async () => {
    const { world, clock } = await unsaved("failed");
    await using _ = world;
    for (const [attempt, delayMs] of [5, 10, 20].entries()) {
      await clock.advance(delayMs);
      await failedAttempts(world, attempt + 2);
    }
    await notWarned(world);
    await clock.advance(40);
    await warned(world);
  });

  test("raises a warning after half a minute", async () => {
    const { world, clock } = await unsaved("failed");
    await using _ = world;
    await notWarned(world);
    await clock.advance(30_000);
    await warned(world);
  });
});
