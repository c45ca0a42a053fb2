import { expect, test } from "bun:test";
import { heapGrowth } from "@csi-sidecars/base/testing";
import { BodyText } from "./body-text.ts";

test("a body that comes byte by byte has no object for each of them", () => {
  const count = 300_000;
  const body = new BodyText();
  const growth = heapGrowth(() => {
    for (let byte = 0; byte < count; byte++) body.add(Buffer.from("x"));
    return body;
  });
  expect(growth).toBeLessThan(10 * count);
  expect(body.decode(undefined)).toBe("x".repeat(count));
});
