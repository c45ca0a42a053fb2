import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Operation, type OperationId, operations } from "../catalogue.ts";
import { prologue } from "./prologue.ts";
import { scriptOf } from "./script-of.ts";
import { sessionHostScript } from "./session-host-script.ts";
import { parsePowershell, syntaxErrors } from "./testing/parse-powershell.ts";
import { cmdletArguments, violations } from "./testing/script-rules.ts";
import { environmentOf, parametersOf, strayVariables, unusedFunctions } from "./testing/script-variables.ts";

const ids = Object.keys(operations) as OperationId[];
const session = "the host of a session";
const scripts: readonly (readonly [string, string])[] = [...ids.map((op) => [op, scriptOf(op)] as const), [session, sessionHostScript()]];

/** Windows needs only the path to remove a mount point. */
const unread: readonly string[] = ["volume.removeMountPoint volumeID"];

describe.each(scripts)("the script of %s", (_, script) => {
  test("has no syntax errors", async () => {
    expect(syntaxErrors(await parsePowershell(script))).toEqual([]);
  });

  test("keeps to the commands, types and syntax that are allowed", async () => {
    expect(violations(await parsePowershell(script))).toEqual([]);
  });

  test("reads no variable that it does not set", async () => {
    expect(strayVariables(await parsePowershell(script))).toEqual([]);
  });

  // Windows logs the arguments of cmdlets, in clear text, where an administrator has turned on module logging.
  test("gives no secret to a cmdlet as an argument of its own", async () => {
    const secrets = Object.values<Operation>(operations).flatMap(({ secrets = [] }) => secrets);
    const telling = new RegExp(`\\$(line|request|parameters|entry|p\\.(${secrets.join("|")}))\\b`, "i");
    expect(cmdletArguments(await parsePowershell(script)).filter((text) => telling.test(text))).toEqual([]);
  });

  test("begins with the prologue, is ASCII and fits into a command line", () => {
    expect(script.startsWith(`${prologue}\n`)).toBe(true);
    expect(script).toMatch(/^[\n -~]*$/);
    expect(quoted(script).length).toBeLessThanOrEqual(30_000);
  });
});

describe.each(ids)("the script of %s", (op) => {
  test("has exactly the parameters of the catalogue", async () => {
    const root = await parsePowershell(scriptOf(op));
    const names: readonly string[] = operations[op].params;
    expect(environmentOf(root)).toEqual(names);
    expect(parametersOf(root)).toEqual(names.filter((name) => !unread.includes(`${op} ${name}`)).sort());
  });

  test("is the same at every call", () => {
    expect(scriptOf(op)).toBe(scriptOf(op));
  });
});

describe("the host of a session", () => {
  test("has a branch for every operation and reads no environment", async () => {
    const root = await parsePowershell(sessionHostScript());
    const branches = root.descendantsOfType("switch_clause_condition").map((node) => node?.text);
    for (const op of ids) expect(branches.filter((branch) => branch === `'${op}'`)).toHaveLength(1);
    expect(environmentOf(root)).toEqual([]);
  });

  test("has no function that nothing calls", async () => {
    expect(unusedFunctions(await parsePowershell(sessionHostScript()))).toEqual([]);
  });

  test("never names the variable that would make PowerShell read the requests", () => {
    expect(sessionHostScript()).not.toMatch(/\$input\b/i);
  });
});

// Bun replaces other characters in a template by escapes, which PowerShell does not know: the scripts would be ASCII, and wrong.
test("the files with the scripts are ASCII", () => {
  const files = readdirSync(import.meta.dir).filter((name) => name.endsWith(".ts"));
  const others = files.filter((name) => !/^[\n -~]*$/.test(readFileSync(join(import.meta.dir, name), "utf8")));
  expect(others).toEqual([]);
});

// A change of a script is to be seen by whoever reads the change: `bun test -u` writes the new ones.
test("the scripts are those that were reviewed", () => {
  const hashes = scripts.map(([name, script]) => [name, createHash("sha256").update(script).digest("hex").slice(0, 16)]);
  expect(Object.fromEntries(hashes)).toMatchSnapshot();
});

/** At least as long as the script in a Windows command line, where quotes and backslashes before them are escaped. */
function quoted(script: string): string {
  return `"${script.replaceAll(/["\\]/g, "\\$&")}"`;
}
