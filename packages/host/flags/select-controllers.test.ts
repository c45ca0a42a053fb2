import { describe, expect, test } from "bun:test";
import { selectControllers } from "./select-controllers.ts";
import { allInOne, components } from "./testing/components.ts";

const separate = allInOne.form === "all-in-one" ? allInOne.separate : [];
const select = (...items: string[]) => {
  const selection = selectControllers(items, components, separate);
  return selection.ok ? selection.enabled : selection.problems;
};

const none = "--controllers: no controllers are enabled: name at least one";
const known = components.map(({ name }) => name).join(", ");

describe("--controllers", () => {
  test.each([
    ["a list", ["attacher", "resizer"], ["attacher", "resizer"]],
    ["a list in another order", ["resizer", "attacher"], ["attacher", "resizer"]],
    ["all on by default", ["*"], ["attacher", "provisioner", "resizer", "snapshotter"]],
    ["all but one", ["*", "-attacher"], ["provisioner", "resizer", "snapshotter"]],
    ["all but one, the other way round", ["-attacher", "*"], ["provisioner", "resizer", "snapshotter"]],
    ["all and one that is off by default", ["*", "livenessprobe"], ["attacher", "provisioner", "resizer", "snapshotter", "livenessprobe"]],
    ["first off, then on: the first decides", ["-attacher", "attacher", "resizer"], ["resizer"]],
    ["first on, then off: the first decides", ["attacher", "-attacher"], ["attacher"]],
    ["aliases", ["csi-attacher", "external-resizer", "liveness-probe"], ["attacher", "resizer", "livenessprobe"]],
    ["an alias left out", ["*", "-csi-attacher"], ["provisioner", "resizer", "snapshotter"]],
    ["nothing but one left out", ["-attacher"], [none]],
    ["off, then on, and nothing else", ["-attacher", "attacher"], [none]],
    ["nothing", [], [none]],
    [
      "unknown names, all reported",
      ["attacher", "attatcher", "-cloner"],
      [
        '--controllers: "attatcher" is not in the list of known controllers (did you mean "attacher"?)',
        `--controllers: "cloner" is not in the list of known controllers: ${known}`,
      ],
    ],
    ["an unknown name on and off", ["bar", "-bar"], [`--controllers: "bar" is not in the list of known controllers: ${known}`]],
    ["a name in other letters", ["PROVISIONER"], [`--controllers: "PROVISIONER" is not in the list of known controllers: ${known}`]],
    [
      "another program",
      ["snapshot-controller"],
      ['--controllers: "snapshot-controller" is not a sidecar: run the separate program snapshot-controller'],
    ],
    [
      "another program's alias",
      ["-snapshot-metadata"],
      ['--controllers: "snapshot-metadata" is not a sidecar: run the separate program csi-snapshot-metadata'],
    ],
  ] as const)("%s", (_, items, expected) => {
    expect(select(...items)).toEqual([...expected]);
  });
});
