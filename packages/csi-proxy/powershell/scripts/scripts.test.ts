import { describe, expect, test } from "bun:test";
import { type OperationId, operations } from "../catalogue.ts";
import { scriptOf } from "./script-of.ts";
import { sessionHostScript } from "./session-host-script.ts";
import { parsePowershell, syntaxErrors } from "./testing/parse-powershell.ts";

const ids = Object.keys(operations) as OperationId[];
const scripts: readonly (readonly [string, string])[] = [
  ...ids.map((op) => [op, scriptOf(op)] as const),
  ["the host of a session", sessionHostScript()],
];

describe.each(scripts)("the script of %s", (_, script) => {
  test("has no syntax errors", async () => {
    expect(syntaxErrors(await parsePowershell(script))).toEqual([]);
  });

  test("is ASCII and fits into a command line", () => {
    expect(script).toMatch(/^[\n -~]*$/);
    expect(script.length).toBeLessThanOrEqual(30_000);
  });
});
