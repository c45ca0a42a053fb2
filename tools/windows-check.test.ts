import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { operations } from "../packages/csi-proxy/powershell/catalogue.ts";
import { parsePowershell, syntaxErrors } from "../packages/csi-proxy/powershell/scripts/testing/parse-powershell.ts";

const script = readFileSync(new URL("windows-check.ps1", import.meta.url), "utf8");

describe("windows-check.ps1", () => {
  test("has no syntax errors and is ASCII", async () => {
    expect(syntaxErrors(await parsePowershell(script))).toEqual([]);
    expect(script).toMatch(/^[\n -~]*$/);
  });

  test.each(Object.keys(operations))("tries %s", (op) => {
    expect(script).toContain(`Test-Operation '${op}' `);
  });
});
