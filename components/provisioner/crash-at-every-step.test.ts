import { test } from "bun:test";
import { crashAtEveryStep, withRestart } from "@csi-sidecars/testcluster";
import { handMade, stories } from "./testing/crash-scenarios.ts";
import { startWorld } from "./testing/provisioner-world.ts";

/** A real server, which all tests share, makes each of the many lives slow: there only some of them are lived. */
const lives = process.env.TESTCLUSTER === "real" ? { stride: 10 } : { atOnce: 4 };

test.each(Object.entries(stories))(
  "the process dies at any moment: %s",
  async (_, { options, tell }) => {
    await crashAtEveryStep(async (last) => {
      await using world = await startWorld({ ...options, crashPoint: last, stopped: true });
      await withRestart(world, async () => {
        await tell(world);
        const left = () => [...world.driver.volumes.keys()].filter((id) => id !== handMade);
        // kube-controller-manager may take a quarter of a minute to see that an unbound claim is gone.
        await world.untilTrue(async () => left().length === 0 && (await world.volumes()).length === 0, 30_000);
      });
    }, lives);
  },
  120_000,
);
