import { expect, test } from "bun:test";
import { State } from "./state.ts";

test("a commit is never forgotten, however soon it follows the one before", async () => {
  for (let steps = 0; steps < 40; steps++) {
    const state = new State();
    await state.commit([]);
    for (let step = 0; step < steps; step++) await undefined;
    const second = await Promise.race([state.commit([]).then(() => "kept"), new Promise((resolve) => setImmediate(resolve, "waiting"))]);
    expect([steps, second]).toEqual([steps, "kept"]);
  }
});
