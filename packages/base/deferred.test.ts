import { expect, test } from "bun:test";
import { deferred } from "./deferred.ts";

test("a deferred promise is settled from outside, once", async () => {
  const [kept, broken] = [deferred<number>(), deferred<number>()];
  kept.resolve(1);
  kept.resolve(2);
  broken.reject(new Error("broken"));
  expect(await kept.promise).toBe(1);
  expect(await broken.promise.catch(String)).toBe("Error: broken");
});
