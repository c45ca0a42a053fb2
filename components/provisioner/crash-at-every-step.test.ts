import { test } from "bun:test";
import { crashAtEveryStep, withRestart } from "@csi-sidecars/testcluster";
import { handMade, scenarios } from "./testing/crash-scenarios.ts";
import { startWorld } from "./testing/provisioner-world.ts";

/** A real server, which all tests share, makes each of the many runs slow: there only some of the steps are crashed at. */
const pace = process.env.TESTCLUSTER === "real" ? { stride: 10 } : { atOnce: 4 };

test.each(Object.entries(scenarios))(
  "the process crashes at every step: %s",
  async (_, { options, run }) => {
    await crashAtEveryStep(async (crashPoint) => {
      await using world = await startWorld({ ...options, crashPoint, stopped: true });
      await withRestart(world, async () => {
        await run(world);
        const left = () => [...world.driver.volumes.keys()].filter((id) => id !== handMade);
        // kube-controller-manager may take a quarter of a minute to see that an unbound claim is gone.
        await world.untilTrue(async () => left().length === 0 && (await world.volumes()).length === 0, 30_000);
      });
    }, pace);
  },
  120_000,
);
