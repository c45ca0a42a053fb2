import { describe, expect, test } from "bun:test";
import { UserError } from "../user-error.ts";
import { resolveShape } from "./cluster-shape.ts";

const kept = { real: false, nodes: 5, zones: 3 };
const state = "kept";

describe("the shape of a new cluster", () => {
  test.each([
    ["two nodes by default", { real: false }, { real: false, nodes: 2, zones: 0 }],
    ["a node for each zone", { real: true, zones: 3 }, { real: true, nodes: 3, zones: 3 }],
    ["what is asked for", { real: false, nodes: 7, zones: 3 }, { real: false, nodes: 7, zones: 3 }],
    ["one node for the user's own driver", { real: false, driver: "/csi.sock" }, { real: false, nodes: 1, zones: 0 }],
  ])("has %s", (_, asked, shape) => {
    expect(resolveShape(asked)).toEqual(shape);
  });
});

describe("the shape of a kept cluster", () => {
  test.each([
    ["when nothing is asked for", { real: false, state }],
    ["when the same is asked for", { real: false, nodes: 5, zones: 3, state }],
  ])("stays %s", (_, asked) => {
    expect(resolveShape(asked, kept)).toEqual(kept);
  });

  test.each([
    [{ real: true, state }, kept, "is an embedded one: omit --real"],
    [{ real: false, state }, { ...kept, real: true }, "is a real one: add --real"],
    [{ real: false, nodes: 2, state }, kept, "has 5 nodes: omit --nodes"],
    [{ real: false, zones: 2, state }, kept, "has 3 zones: omit --topology"],
    [{ real: false, zones: 2, state }, { ...kept, zones: 0 }, "has no zones: omit --topology"],
    [{ real: false, state }, { ...kept, ownDriver: "own" }, "is for the driver own: add --driver"],
    [{ real: false, driver: "/csi.sock", state }, kept, "is for the hostpath driver: omit --driver"],
  ])("cannot become %p", (asked, before, sentence) => {
    expect(() => resolveShape(asked, before)).toThrow(new UserError(`--state: the cluster in kept ${sentence}, or use another folder`));
  });
});
