import { expect, test } from "bun:test";
import { StatusError, TransportError } from "@csi-sidecars/kube";
import { UncertainCreations } from "./uncertain-creations.ts";

const refusal = (code: number, reason: string) => new StatusError({ code, reason, message: reason });
const notFound = () => Promise.reject<string>(refusal(404, "NotFound"));

/** What becomes of a creation, and how often it is looked for after that. */
async function afterCreation(outcome: () => Promise<string>, read: () => Promise<string> = notFound) {
  const creations = new UncertainCreations();
  await creations.create("x", outcome).catch(() => undefined);
  let reads = 0;
  const find = () =>
    creations.find("x", undefined, () => {
      reads++;
      return read();
    });
  return { found: [await find(), await find()], reads };
}

test.each<[string, () => Promise<string>, number]>([
  ["answered", async () => "made", 0],
  ["refused", () => Promise.reject(refusal(403, "Forbidden")), 0],
  ["lost", () => Promise.reject(new TransportError("reset", "connection reset")), 1],
  ["answered with an error of the server", () => Promise.reject(refusal(500, "InternalError")), 1],
])("a creation that was %s", async (_, outcome, reads) => {
  expect(await afterCreation(outcome)).toEqual({ found: [undefined, undefined], reads });
});

test("what exists after all is found as long as the watch does not show it", async () => {
  const lost = () => Promise.reject(new TransportError("reset", "connection reset"));
  expect(await afterCreation(lost, async () => "made")).toEqual({ found: ["made", "made"], reads: 2 });
});

test("what the watch shows is not read", async () => {
  expect(await new UncertainCreations().find("x", "shown", notFound)).toBe("shown");
});
