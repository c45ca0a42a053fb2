import { describe, expect, test } from "bun:test";
import type { Claim } from "../fields.ts";
import { cachedClaim, driverName } from "../testing/objects.ts";
import type { Answer } from "./modify-state.ts";
import { type ModifyInputs, planModify } from "./plan-modify.ts";
import { attributesClass } from "./testing/attributes-class.ts";

/** The claim: V of spec, K and M of status, as the specification calls them. */
interface Given extends Partial<Omit<ModifyInputs, "classOf">> {
  readonly wanted?: string;
  readonly current?: string;
  readonly status?: "Pending" | "InProgress" | "Infeasible";
  readonly target?: string;
  readonly modifying?: boolean;
  /** The message of the condition `ModifyVolumeError`. */
  readonly error?: string;
}

const classes = new Map(["silver", "gold", "bronze"].map((name) => [name, attributesClass(name)]));
classes.set("theirs", attributesClass("theirs", {}, "other.example.com"));

function claim({ wanted, current, status, target, modifying, error }: Given): Claim {
  const conditions = [
    ...(modifying ? [{ type: "ModifyingVolume", status: "True" }] : []),
    ...(error === undefined ? [] : [{ type: "ModifyVolumeError", status: "True", message: error }]),
  ];
  return cachedClaim({
    ...(wanted !== undefined && { spec: { volumeAttributesClassName: wanted } }),
    status: {
      ...(current !== undefined && { currentVolumeAttributesClassName: current }),
      ...(status && { modifyVolumeStatus: { status, ...(target !== undefined && { targetVolumeAttributesClassName: target }) } }),
      ...(conditions.length > 0 && { conditions }),
    },
  });
}

function plan(given: Given): string {
  const planned = planModify(claim(given), {
    driver: driverName,
    classOf: (name) => classes.get(name),
    lastCall: given.lastCall ?? "uncertain",
    unsavedAnswer: given.unsavedAnswer,
    infeasibleMs: given.infeasibleMs ?? (() => undefined),
  });
  switch (planned.step) {
    case "mark":
    case "call":
      return `${planned.step} ${planned.class.metadata.name}`;
    case "pend":
    case "refuse":
    case "report":
      return `${planned.step} ${planned.className}: ${planned.message}`;
    case "wait":
      return `wait ${planned.ms}`;
    case "save":
      return `save ${planned.answer.outcome} ${planned.answer.className}`;
    default:
      return planned.step;
  }
}

const missing = (name: string) => `${name}: VAC "${name}" does not exist.`;
const foreignText = `VAC theirs referenced in PVC is for driver other.example.com which does not match driver name ${driverName}`;
const foreign = `theirs: ${foreignText}`;

describe("nothing is in progress", () => {
  test.each<[string, Given, string]>([
    ["the claim never had a class", {}, "none"],
    ["it has the one that it names", { wanted: "gold", current: "gold" }, "none"],
    ["its first one", { wanted: "gold" }, "mark gold"],
    ["another one", { wanted: "gold", current: "silver" }, "mark gold"],
    ["one that does not exist", { wanted: "platinum", current: "silver" }, `pend ${missing("platinum")}`],
    ["one of another driver", { wanted: "theirs", current: "silver" }, `refuse ${foreign}`],
    ["no class is named any more", { wanted: "", current: "silver" }, "none"],
  ])("%s", (_, given, expected) => expect(plan(given)).toBe(expected));
});

describe("the class may be changed while", () => {
  const uncertain: Given = { current: "silver", status: "InProgress", target: "gold", lastCall: "uncertain" };
  const final: Given = { ...uncertain, lastCall: "final" };
  const infeasible: Given = { current: "silver", status: "Infeasible", target: "gold", modifying: true };
  const waiting: Given = { current: "silver", status: "Pending", target: "gold", modifying: true };
  test.each<[string, Given, string]>([
    ["uncertain: not changed", { ...uncertain, wanted: "gold" }, "call gold"],
    ["uncertain: to another one", { ...uncertain, wanted: "bronze" }, "call gold"],
    ["uncertain: back to the current one", { ...uncertain, wanted: "silver" }, "call gold"],
    ["uncertain: to one that does not exist", { ...uncertain, wanted: "platinum" }, "call gold"],
    ["uncertain: to empty", { ...uncertain, wanted: "" }, "call gold"],
    ["final error: not changed", { ...final, wanted: "gold" }, "mark gold"],
    ["final error: to another one", { ...final, wanted: "bronze" }, "mark bronze"],
    ["final error: back to the current one", { ...final, wanted: "silver" }, "mark silver"],
    ["final error: to one that does not exist", { ...final, wanted: "platinum" }, `pend ${missing("platinum")}`],
    ["final error: to empty", { ...final, wanted: "" }, "call gold"],
    ["not called yet: not changed", { ...final, lastCall: "none", wanted: "gold" }, "call gold"],
    ["not called yet: to another one", { ...final, lastCall: "none", wanted: "bronze" }, "mark bronze"],
    ["not called yet: to empty", { ...final, lastCall: "none", wanted: "" }, "call gold"],
    ["infeasible: not changed, and the period is over", { ...infeasible, wanted: "gold" }, "mark gold"],
    ["infeasible: to another one", { ...infeasible, wanted: "bronze" }, "mark bronze"],
    ["infeasible: back to the current one, which is a call", { ...infeasible, wanted: "silver" }, "mark silver"],
    ["infeasible: to empty", { ...infeasible, wanted: "" }, "cancel"],
    ["infeasible: to empty, and that was told", { ...infeasible, wanted: "", modifying: false }, "none"],
    ["pending: not changed, and the class is there", { ...waiting, wanted: "gold" }, "mark gold"],
    ["pending: back to the current one", { ...waiting, wanted: "silver" }, "mark silver"],
    ["pending: to empty", { ...waiting, wanted: "" }, "cancel"],
  ])("%s", (_, given, expected) => expect(plan(given)).toBe(expected));
});

describe("the class that the driver may be working on cannot be used", () => {
  test.each<[string, Given, string]>([
    ["it is gone", { wanted: "gold", status: "InProgress", target: "lost" }, `report ${missing("lost")}`],
    ["it is another driver's now", { wanted: "gold", status: "InProgress", target: "theirs" }, `refuse ${foreign}`],
    ["none was recorded", { wanted: "gold", status: "InProgress" }, `report ${missing("")}`],
  ])("%s", (_, given, expected) => expect(plan(given)).toBe(expected));
});

test("a refused class waits for the end of its period, another one does not", () => {
  const given: Given = { current: "silver", status: "Infeasible", target: "gold", infeasibleMs: () => 17 };
  expect([plan({ ...given, wanted: "gold" }), plan({ ...given, wanted: "bronze" })]).toEqual(["wait 17", "mark bronze"]);
});

describe("a class of another driver", () => {
  const given: Given = { wanted: "theirs", current: "silver", status: "Infeasible", target: "theirs", modifying: true, error: foreignText };
  test.each<[string, Given, string]>([
    ["is refused once", given, "wait undefined"],
    ["is refused after one of its name that the driver has refused", { ...given, error: "cannot" }, `refuse ${foreign}`],
    ["is refused after another one", { ...given, target: "gold" }, `refuse ${foreign}`],
    ["is refused after it was missing", { ...given, status: "Pending" }, `refuse ${foreign}`],
    ["is refused after a final error", { ...given, status: "InProgress", target: "gold", lastCall: "final" }, `refuse ${foreign}`],
    ["gives way to another one", { ...given, wanted: "gold" }, "mark gold"],
    ["gives way to the current one", { ...given, wanted: "silver" }, "mark silver"],
    ["gives way to none", { ...given, wanted: "" }, "cancel"],
  ])("%s", (_, claimed, expected) => expect(plan(claimed)).toBe(expected));
});

describe("an answer that is not saved yet", () => {
  const modified: Answer = { outcome: "modified", className: "gold" };
  const failed: Answer = { outcome: "failed", className: "gold", error: new Error("no"), uncertain: false, infeasible: false };
  const inProgress: Given = { current: "silver", status: "InProgress", target: "gold", lastCall: "final" };
  test.each<[string, Given, string]>([
    ["success", { ...inProgress, wanted: "gold", unsavedAnswer: modified }, "save modified gold"],
    ["success, and another class is named by now", { ...inProgress, wanted: "bronze", unsavedAnswer: modified }, "save modified gold"],
    ["success, and none is named by now", { ...inProgress, wanted: "", unsavedAnswer: modified }, "save modified gold"],
    [
      "success, and the write was done although it failed",
      { wanted: "gold", current: "gold", unsavedAnswer: modified },
      "save modified gold",
    ],
    ["failure", { ...inProgress, wanted: "gold", unsavedAnswer: failed }, "save failed gold"],
    [
      "refusal, and the write was done although it failed",
      { ...inProgress, status: "Infeasible", wanted: "gold", unsavedAnswer: { ...failed, infeasible: true } },
      "save failed gold",
    ],
    ["failure, and somebody has removed the status", { wanted: "gold", current: "gold", unsavedAnswer: failed }, "none"],
    [
      "for another target than the recorded one",
      { ...inProgress, target: "bronze", wanted: "bronze", unsavedAnswer: modified },
      "mark bronze",
    ],
  ])("%s", (_, given, expected) => expect(plan(given)).toBe(expected));
});
