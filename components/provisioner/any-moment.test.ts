import { expect, test } from "bun:test";
import { lastStep, toldSteps } from "@csi-sidecars/testcluster";
import { startWorld } from "./testing/provisioner-world.ts";
import { handMade, type Story, stories } from "./testing/stories.ts";

/** A real server makes each of the many lives slow: there only some of them are lived. */
const stride = process.env.TESTCLUSTER === "real" ? 5 : 1;

test.each(Object.entries(stories))(
  "the process dies at any moment: %s",
  async (_, story) => {
    for (const when of ["before", "after"] as const) {
      for (let nth = 1; await survives(story, nth, when); nth += stride);
    }
  },
  120_000,
);

/** Tells the story with a process that dies of its n-th step and is started again; answers whether it came so far. */
async function survives(story: Story, nth: number, when: "before" | "after"): Promise<boolean> {
  const last = lastStep(nth, when);
  await using world = await startWorld({ ...story.options, lastStep: last, stopped: true });
  const told = Promise.withResolvers<void>();
  const kubelet = async () => {
    await world.run();
    await Promise.race([told.promise, world.untilTrue(() => world.dead, 60_000)]);
    if (!world.dead) return;
    await world.stop();
    await world.run();
  };
  const supervised = kubelet();
  try {
    await story.tell(world);
    // kube-controller-manager may take a quarter of a minute to see that an unbound claim is gone.
    await world.untilTrue(async () => (await world.volumes()).length === 0, 30_000);
    expect([...world.driver.volumes.keys()].filter((id) => id !== handMade)).toEqual([]);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\nsteps: ${toldSteps(last)}`, { cause: error });
  } finally {
    told.resolve();
    await supervised;
  }
  return last.steps.length >= nth;
}
