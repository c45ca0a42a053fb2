import { expect, test } from "bun:test";
import { type Answer, ModifyState } from "./modify-state.ts";

const failed = (uncertain: boolean): Answer => ({
  outcome: "failed",
  className: "gold",
  error: new Error("no"),
  uncertain,
  infeasible: false,
});

test("what is not known is uncertain", () => {
  const state = new ModifyState();
  const seen = [state.lastCall("a")];
  state.marked("a");
  seen.push(state.lastCall("a"));
  state.answered("a", failed(true));
  seen.push(state.lastCall("a"));
  state.answered("a", failed(false));
  seen.push(state.lastCall("a"));
  state.forget("a");
  seen.push(state.lastCall("a"));
  expect(seen).toEqual(["uncertain", "none", "uncertain", "final", "uncertain"]);
});

test("an answer is kept until it is saved, with how often that has failed", () => {
  const state = new ModifyState();
  state.answered("a", failed(false));
  expect([state.saveFailed("a", 1), state.saveFailed("a", 2)]).toEqual([
    { attempts: 1, since: 1 },
    { attempts: 2, since: 1 },
  ]);
  expect(state.unsavedAnswer("a")).toMatchObject({ className: "gold" });
  state.saved("a");
  expect(state.unsavedAnswer("a")).toBeUndefined();
});

test("a new target has no answer, and a claim that is gone leaves nothing", () => {
  const state = new ModifyState();
  state.answered("a", failed(false));
  state.marked("a");
  expect(state.unsavedAnswer("a")).toBeUndefined();
  state.forget("a");
  expect(state.size).toBe(0);
});
