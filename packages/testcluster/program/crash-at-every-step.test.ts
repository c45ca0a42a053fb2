import { expect, test } from "bun:test";
import { crashAtEveryStep, stepOrCrash, withRestart } from "./crash-at-every-step.ts";

/** A process that takes three steps, and a second one that takes what is left of them. */
function process(point: Parameters<Parameters<typeof crashAtEveryStep>[0]>[0], effects: string[]) {
  let dead = false;
  return {
    get dead() {
      return dead;
    },
    async run() {
      dead = false;
      for (const step of ["a", "b", "c"]) {
        if (effects.includes(step)) continue;
        const taken = await stepOrCrash(
          point,
          step,
          async () => void effects.push(step),
          () => {
            dead = true;
          },
        );
        if (!taken) return;
      }
    },
    async stop() {},
  };
}

test("a scenario is run until it has crashed before and after each of its steps", async () => {
  const runs: string[] = [];
  await crashAtEveryStep(async (point) => {
    const effects: string[] = [];
    const mortal = process(point, effects);
    await withRestart(mortal, async () => {
      while (effects.length < 3) await Bun.sleep(1);
    });
    runs.push(`${point.when} ${point.nth}: ${point.steps.join("")}`);
  });
  expect(runs).toEqual([
    ...["before 1: aabc", "before 2: abbc", "before 3: abcc", "before 4: abc"],
    ...["after 1: abc", "after 2: abc", "after 3: abc", "after 4: abc"],
  ]);
});

test.each([
  [0, ["before 1", "before 3", "before 5", "after 1", "after 3", "after 5"]],
  [7, ["before 2", "before 4", "after 2", "after 4"]],
])("with a stride the seed %d chooses the steps", async (seed, expected) => {
  const runs: string[] = [];
  const fourSteps = async (point: Parameters<Parameters<typeof crashAtEveryStep>[0]>[0]) => {
    runs.push(`${point.when} ${point.nth}`);
    point.steps.push("a", "b", "c", ...(point.nth > 3 ? [] : ["d"]));
  };
  await crashAtEveryStep(fourSteps, { stride: 2, seed });
  expect(runs).toEqual(expected);
});

test("a failure tells the steps and the crash", async () => {
  const failing = crashAtEveryStep(async (point) => {
    const mortal = process(point, []);
    await mortal.run();
    if (mortal.dead) throw new Error("the volume leaked");
  });
  await expect(failing).rejects.toThrow("the volume leaked\nsteps: (crashed before) a");
});

test("a scenario that never reaches its crash point is refused", async () => {
  await expect(crashAtEveryStep(async () => {})).rejects.toThrow("the scenario took no step");
});

test("a failure waits for the runs beside it", async () => {
  const ended: number[] = [];
  const failing = crashAtEveryStep(
    async (point) => {
      if (point.nth === 1) throw new Error("at once");
      await Bun.sleep(20);
      ended.push(point.nth);
    },
    { atOnce: 3 },
  );
  await expect(failing).rejects.toThrow("at once");
  expect(ended).toEqual([2, 3]);
});

test("a process that cannot be started fails its scenario at once", async () => {
  const unstartable = { run: () => Promise.reject(new Error("no socket")), stop: async () => {}, dead: true };
  await expect(withRestart(unstartable, () => new Promise(() => {}))).rejects.toThrow("no socket");
});
