import { expect, test } from "bun:test";
import { volumeNode } from "../shared/volumes.ts";
import { claimOnNodes } from "./world.ts";

test("claims are spread over some nodes only, and none is chosen twice", () => {
  const claims = Array.from({ length: 1_000 }, (_, index) => claimOnNodes(index, 100));
  expect(new Set(claims).size).toBe(1_000);
  const perNode = Map.groupBy(claims, volumeNode);
  expect([...perNode.values()].map(({ length }) => length)).toEqual(Array.from({ length: 100 }, () => 10));
});
