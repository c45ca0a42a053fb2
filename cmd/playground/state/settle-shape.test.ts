import { describe, expect, test } from "bun:test";
import { Refusal } from "../refusal.ts";
import { settleShape } from "./settle-shape.ts";

const kept = { real: false, nodes: 5, zones: 3 };
const state = "kept";

describe("the shape of a new cluster", () => {
  test.each([
    ["two nodes, unless told", { real: false }, { real: false, nodes: 2, zones: 0 }],
    ["a node for each zone", { real: true, zones: 3 }, { real: true, nodes: 3, zones: 3 }],
    ["as told", { real: false, nodes: 7, zones: 3 }, { real: false, nodes: 7, zones: 3 }],
    ["one node for somebody's own driver", { real: false, driver: "/csi.sock" }, { real: false, nodes: 1, zones: 0 }],
  ])("has %s", (_, asked, shape) => {
    expect(settleShape(asked)).toEqual(shape);
  });
});

describe("the shape of a kept cluster", () => {
  test.each([
    ["when nothing is said", { real: false, state }],
    ["when the same is said", { real: false, nodes: 5, zones: 3, state }],
  ])("stays %s", (_, asked) => {
    expect(settleShape(asked, kept)).toEqual(kept);
  });

  test.each([
    [{ real: true, state }, kept, "is an embedded one: leave --real away"],
    [{ real: false, state }, { ...kept, real: true }, "is a real one: give --real"],
    [{ real: false, nodes: 2, state }, kept, "has 5 nodes: leave --nodes away"],
    [{ real: false, zones: 2, state }, kept, "has 3 zones: leave --topology away"],
    [{ real: false, zones: 2, state }, { ...kept, zones: 0 }, "has no zones: leave --topology away"],
    [{ real: false, state }, { ...kept, ownDriver: "own" }, "is for the driver own: give --driver"],
    [{ real: false, driver: "/csi.sock", state }, kept, "is for the hostpath driver: leave --driver away"],
  ])("cannot become %p", (asked, before, sentence) => {
    expect(() => settleShape(asked, before)).toThrow(new Refusal(`--state: the cluster in kept ${sentence}, or take another folder`));
  });
});
