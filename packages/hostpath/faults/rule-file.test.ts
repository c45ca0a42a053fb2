import { describe, expect, test } from "bun:test";
import { utimes, writeFile } from "node:fs/promises";
import { outcome, startWorld } from "../testing/driver-world.ts";
import type { FaultRule } from "./fault-rules.ts";
import { parseRules } from "./read-rules.ts";

describe("rules in a file", () => {
  test("are YAML or JSON", () => {
    const yaml = "- method: CreateVolume\n  times: 1\n  action: {error: {code: RESOURCE_EXHAUSTED, message: full}}\n";
    const json = '{"rules": [{"method": "CreateVolume", "times": 1, "action": {"error": {"code": 8, "message": "full"}}}]}';
    expect(parseRules(yaml, "f")).toEqual(parseRules(json, "f"));
    expect(parseRules(yaml, "f")).toMatchObject([{ action: { error: { code: "ResourceExhausted", message: "full" } } }]);
    expect(parseRules("", "f")).toEqual([]);
    const crash = (value: string) => parseRules(`- {method: Probe, action: {crash: ${value}}}`, "f");
    for (const [value, code] of Object.entries({ 0: 0, 7: 7, true: 1, false: undefined }))
      expect(crash(value)).toMatchObject([{ action: { crash: code } }]);
  });

  test.each([
    ["rules: 1", "f: expected a list of rules"],
    ["- action: {}", "f: rule 1.method: give the name of an RPC, such as CreateVolume, or *"],
    ["- method: Probe\n  when: now\n  action: {}", "f: rule 1: unknown field when; there are name, method"],
    ["- method: Probe", "f: rule 1.action: expected an object"],
    ["- method: Probe\n  action: {explode: true}", "f: rule 1.action: unknown field explode"],
    ["- method: Probe\n  phase: later\n  action: {}", "f: rule 1.phase: use before or after"],
    ["- method: Probe\n  action: {error: {code: BAD}}", 'f: rule 1.action.error.code: "BAD" is no gRPC code'],
    ["- condition: {}", 'f: rule 1.volume: give the id or the name of a volume, or "*" for all'],
    ["- volume: v", "f: rule 1.condition: expected an object"],
    ["- volume: v\n  condition: {abnormal: 1}", "f: rule 1.condition.abnormal: expected true or false"],
    ["- volume: v\n  condition: {reason: x}", "f: rule 1.condition: unknown field reason; there are abnormal, message"],
    ["- volume: v\n  method: ListVolumes\n  condition: {}", "f: rule 1: unknown field method; there are volume, condition"],
    ["- method: Probe\n  times: -1\n  action: {}", "f: rule 1.times: expected a number of 0 or more"],
    ["- method: CreateVolum\n  action: {}", "f: rule 1.method: give the name of an RPC, such as CreateVolume, or *"],
    ["- method: Probe\n  probability: 2\n  action: {}", "f: rule 1.probability: expected a number from 0 to 1"],
    ["- method: Probe\n  action: {hang: 'yes'}", "f: rule 1.action.hang: expected true or false"],
    ["- method: Probe\n  action: {dropConnection: 1}", "f: rule 1.action.dropConnection: expected true or false"],
    ["- method: Probe\n  action: {error: {code: ABORTED, msg: x}}", "f: rule 1.action.error: unknown field msg"],
    ["- method: Probe\n  match: {a: {regex: '('}}\n  action: {}", "f: rule 1.match.a.regex: Invalid regular expression"],
    ["{", "f: neither JSON nor YAML"],
  ])("with a mistake: %p", (text, expected) => {
    expect(() => parseRules(text, "f")).toThrow(expected);
  });

  test("are read again when the file changes; mistakes change nothing", async () => {
    const scratch = await startWorld();
    const file = scratch.path("faults.yaml");
    const write = async (text: string, second: number) => {
      await writeFile(file, text);
      await utimes(file, second, second);
    };
    await write("- {method: Probe, action: {error: {code: INTERNAL}}}", 1);
    await using world = await startWorld({ faultsFile: file });
    const probe = () => outcome(world.client.identity.probe({}));
    expect(await probe()).toBe("Internal: injected Internal");
    await write("- {method: Probe, action: {error: {code: ABORTED, message: again}}}", 2);
    expect(await probe()).toBe("Aborted: again");
    await write("oops: [", 3);
    expect(await probe()).toBe("Aborted: again");
    await write("[]", 4);
    expect(await probe()).toBe("OK");
    await scratch[Symbol.asyncDispose]();
  });
});

test("rules of a program stay before those of a file, and a change takes effect with the next calls, however many come at once", async () => {
  const scratch = await startWorld();
  const file = scratch.path("faults.yaml");
  await writeFile(file, "[]");
  const own: FaultRule = { method: "GetPluginInfo", action: { error: { code: "Internal", message: "own" } } };
  await using world = await startWorld({ faultsFile: file, faults: [own] });
  const { identity } = world.client;
  expect(await outcome(identity.getPluginInfo({}))).toBe("Internal: own");
  await writeFile(file, "- {method: Probe, action: {error: {code: ABORTED, message: file}}}");
  const probes = await Promise.all(Array.from({ length: 20 }, () => outcome(identity.probe({}))));
  expect(new Set(probes)).toEqual(new Set(["Aborted: file"]));
  expect(await outcome(identity.getPluginInfo({}))).toBe("Internal: own");
  await scratch[Symbol.asyncDispose]();
});
