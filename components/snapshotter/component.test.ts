import { expect, test } from "bun:test";
import { type Program, readCommandLine } from "@csi-sidecars/host";
import { snapshotter } from "./component.ts";

const alone = { form: "individual", name: "csi-snapshotter", component: snapshotter } as const satisfies Program;

test.each([
  ["--snapshot-name-prefix=", ["--snapshot-name-prefix must not be empty"]],
  ["--groupsnapshot-name-prefix=", ["--groupsnapshot-name-prefix must not be empty"]],
  ["--groupsnapshot-name-prefix= --feature-gates=CSIVolumeGroupSnapshot=false", []],
])("what is wrong with %s: %j", (argv, problems) => {
  const line = readCommandLine(alone, argv.split(" "));
  expect(line.asks === "run" && line.settings.problems).toEqual(problems);
});
