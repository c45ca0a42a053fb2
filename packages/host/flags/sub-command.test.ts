import { describe, expect, test } from "bun:test";
import type { SidecarProgram } from "../program/sidecar-program.ts";
import { aboveZero, type FlagTable } from "./flag.ts";
import { duration, text } from "./flag-types.ts";
import { readSubCommand, type SubCommand } from "./sub-command.ts";
import { components } from "./testing/components.ts";

const program = { name: "csi-sidecars", version: "v1", form: "all-in-one", components } as unknown as SidecarProgram;
const command = {
  name: "look",
  operands: "<name>",
  examples: ["look one", "look -n team one"],
  uses: ["kubeconfig"],
  flags: {
    namespace: text("", "Where.", { aliases: ["n"] }),
    "time-limit": duration("5s", "How long.", { check: aboveZero, aliases: ["limit"] }),
  },
  help: () => "Looks.",
} satisfies SubCommand<FlagTable>;
const read = (line: string) => readSubCommand(line.split(" "), command, program);

describe("a sub-command", () => {
  test.each(["one two -n team --v=2", "-n team one two --v=2", "--v 2 one -n=team two", "one --leader-election two --namespace team"])(
    "has its words wherever they stand: %s",
    (line) => {
      expect(read(line)).toMatchObject({ asks: "run", operands: ["one", "two"], values: { namespace: "team" } });
    },
  );

  test("without words refuses them", () => {
    const { operands: _, ...wordless } = command;
    expect(readSubCommand(["one"], wordless, program)).toMatchObject({ result: { exitCode: 2, stderr: expect.stringContaining('"one"') } });
  });

  test("refuses a value under the name that was typed", () => {
    expect(read("--limit=0s")).toMatchObject({
      result: { exitCode: 2, stderr: expect.stringContaining('invalid value "0s" for flag --limit: must be greater than zero\n') },
    });
  });

  test("shows examples and the flags of the program that matter", () => {
    const { result } = read("--help") as { result: { stdout: string } };
    expect(result.stdout).toStartWith("Usage: csi-sidecars look <name> [flags] [flags of csi-sidecars]\n\nLooks.\n\nExamples:\n");
    expect(result.stdout).toContain("\n  csi-sidecars look -n team one\n\nFlags:\n  --namespace, -n string\n        Where.\n");
    expect(result.stdout).toContain("\n\nFlags of csi-sidecars that matter here (csi-sidecars --help shows all):\n  --kubeconfig string\n");
  });
});
