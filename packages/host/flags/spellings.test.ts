import { describe, expect, test } from "bun:test";
import { duration, text } from "./flag-types.ts";
import type { FlagOwner, Program } from "./program.ts";
import { spellingsOf } from "./spellings.ts";
import {
  attacher,
  healthMonitor,
  individual,
  livenessprobe,
  provisioner,
  registrar,
  resizer,
  snapshotter,
  validator,
} from "./testing/components.ts";
import { settingsOf } from "./testing/settings-of.ts";

describe("an individual program has exactly upstream's flags", () => {
  test.each([
    ["csi-attacher", attacher, 33],
    ["csi-provisioner", provisioner, 51],
    ["csi-resizer", resizer, 32],
    ["csi-snapshotter", snapshotter, 35],
    ["csi-external-health-monitor-controller", healthMonitor, 31],
    ["livenessprobe", livenessprobe, 15],
    ["csi-node-driver-registrar", registrar, 19],
  ] as const)("%s: as many as upstream's", (name, component, count) => {
    expect(spellingsOf(individual(component, name)).size).toBe(count);
  });

  test("no prefixes, no aliases, none of the all-in-one's", () => {
    const program = individual(resizer, "csi-resizer");
    for (const flag of ["resizer-workers", "worker-threads", "resync", "controllers", "loss-policy", "resizer-v"]) {
      expect(() => settingsOf(`--${flag}=1`, program)).toThrow(`unknown flag: --${flag}`);
    }
    expect(() => settingsOf("--kube-api-qps=1", individual(validator, "v"))).toThrow("unknown flag");
    expect(settingsOf("", individual(validator, "v")).of(validator)).toMatchObject({ kubeApiQps: 5 });
  });

  test("messages and questions use its own spelling", () => {
    expect(settingsOf("--worker-threads=0", individual(attacher, "csi-attacher")).problems).toEqual([
      'invalid value "0" for flag --worker-threads: must be greater than zero',
    ]);
  });

  test("a flag of its own takes the place of the process-wide one", () => {
    const settings = settingsOf("--http-endpoint=:1", individual(livenessprobe, "livenessprobe"));
    expect([settings.of(livenessprobe).httpEndpoint, settings.process.httpEndpoint]).toEqual([":1", ""]);
  });

  test("retired flags are accepted with a warning, and have no effect", () => {
    expect(settingsOf("--logtostderr --log_file /x -v=3", individual(validator, "v")).warnings).toEqual([
      "flag --logtostderr is deprecated: it has no effect",
      "flag --log_file is deprecated: it has no effect",
    ]);
  });
});

describe("tables that cannot work are refused when the program is made", () => {
  const owner = (name: string, flags: FlagOwner["flags"]): FlagOwner => ({ name, flags, processFlags: [] });
  const program = (...components: FlagOwner[]): Program => ({ form: "all-in-one", name: "p", components });

  test.each([
    [
      "two ways to say one thing",
      program(owner("a", { "b-c": text("", "") }), owner("a-b", { c: text("", "") })),
      "two flags are spelled --a-b-c",
    ],
    ["following nothing", program(owner("a", { x: text("", "", { follows: "y" }) })), "--a-x follows --y, which is no generic flag"],
    [
      "with and without value",
      program(owner("a", { x: text("", "") }), owner("b", { x: { ...text("", ""), whenBare: "true" } })),
      "--x takes a value for some components only",
    ],
  ])("%s", (_, made, message) => {
    expect(() => spellingsOf(made)).toThrow(message);
  });

  test("a default that cannot be parsed", () => {
    expect(() => duration("5", "")).toThrow("missing unit");
  });
});
