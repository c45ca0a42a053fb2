import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Filesystem } from "../packages/csi-proxy/filesystem/filesystem.ts";
import { operations } from "../packages/csi-proxy/powershell/catalogue.ts";
import { prologue } from "../packages/csi-proxy/powershell/scripts/prologue.ts";
import { parsePowershell, syntaxErrors } from "../packages/csi-proxy/powershell/scripts/testing/parse-powershell.ts";
import { unknownCommands } from "../packages/csi-proxy/powershell/scripts/testing/script-rules.ts";

/** The cmdlets and programs that the script calls, each with the parameters that it uses: a typing error would be found on Windows only. */
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ["ConvertFrom-Json", ["-InputObject"]],
  ["ConvertTo-Json", ["-InputObject", "-Compress", "-Depth"]],
  ["Dismount-DiskImage", ["-ImagePath", "-ErrorAction"]],
  ["ForEach-Object", []],
  ["Format-Table", ["-Property", "-AutoSize"]],
  ["Get-Disk", ["-Number"]],
  ["Get-DiskImage", ["-ImagePath"]],
  ["Get-IscsiTarget", ["-NodeAddress", "-ErrorAction"]],
  ["Get-IscsiTargetPortal", ["-ErrorAction"]],
  ["Get-Partition", ["-DiskNumber"]],
  ["Get-Service", ["-Name"]],
  ["Get-SmbGlobalMapping", ["-RemotePath", "-ErrorAction"]],
  ["Get-Volume", ["-ErrorAction"]],
  ["Join-Path", []],
  ["New-Object", []],
  ["Out-String", []],
  ["Pop-Location", []],
  ["Push-Location", []],
  ["Remove-Item", ["-LiteralPath", "-Recurse", "-Force", "-ErrorAction"]],
  ["Select-Object", ["-Last"]],
  ["Split-Path", ["-Parent"]],
  ["Start-Service", ["-Name"]],
  ["Where-Object", []],
  ["Write-Host", []],
  ["cmd.exe", []],
  ["diskpart.exe", []],
  ["npx", []],
]);

const script = readFileSync(new URL("windows-check.ps1", import.meta.url), "utf8");

describe("windows-check.ps1", () => {
  test("has no syntax errors and is ASCII", async () => {
    expect(syntaxErrors(await parsePowershell(script))).toEqual([]);
    expect(script).toMatch(/^[\n -~]*$/);
  });

  test("calls cmdlets and parameters that there are, and its functions with all their arguments", async () => {
    expect(unknownCommands(await parsePowershell(script), known)).toEqual([]);
  });

  test.each(Object.keys(operations))("tries %s", (op) => {
    expect(script).toMatch(new RegExp(`Test-(Operation|Change) '${op}' `));
  });

  test.each(Object.getOwnPropertyNames(Filesystem.prototype).filter((name) => name !== "constructor"))(
    "tries %s of the library",
    (method) => {
      expect(script).toMatch(new RegExp(`Test-File '${method}' `));
    },
  );

  test("has the library remove by force a mount point, and the folder that it is in, and looks for the data each time", () => {
    const [, body = ""] = /^function Test-MountedFolder\(.*?\) \{\n(.*?)^\}/ms.exec(script) ?? [];
    for (const [method, path] of [
      ["rmdirContents", "$Parent"],
      ["rmdir", "$Parent"],
      ["rmdir", "$Folder"],
    ])
      expect(body).toMatch(new RegExp(`Test-File '${method}' @\\{ path = \\${path}\\b.*\\n {2}Test-Data `));
  });

  test("lets the library touch nothing but what is in the folder of the run", () => {
    const [, body = ""] = /^function Test-File\(.*?\) \{\n(.*?)^\}/ms.exec(script) ?? [];
    expect(body.trim().split("\n")[0]).toBe("Assert-InFolder $Request");
    const [, asserted = ""] = /^function Assert-InFolder\(.*?\) \{\n(.*?)^\}/ms.exec(script) ?? [];
    expect(asserted).toMatch(/-not \$path\.StartsWith\(\$work \+ '\\'\)\) \{ throw /);
    expect(asserted).not.toContain("catch");
  });

  test("asks a csi-proxy.exe once, where there is one", () => {
    expect(script).toContain("Invoke-Part 'csi-proxy.exe' { Test-Server }");
    expect(script).toContain("Add-Skipped ('there is no ' + $CsiProxy) @('csi-proxy.exe')");
  });

  // A number of a disk that no machine has.
  const nowhere = "Test-Operation 'disk.refresh' @{ disk_number = '4294967295' }";

  test.each(
    Object.entries(operations).flatMap(([op, { mutates }]) =>
      mutates && /^(disk|partition|volume)\./.test(op) && op !== "disk.rescan" ? [op] : [],
    ),
  )("lets %s touch nothing but the virtual disk", (op) => {
    expect(script.replace(nowhere, "")).not.toContain(`Test-Operation '${op}'`);
  });

  test("detaches the virtual disk before it removes its folder, however it ends", () => {
    const [, end = ""] = /^\} finally \{\n(.*?)^\}/ms.exec(script) ?? [];
    expect(end).toMatch(/^ {2}if \(\$vhd\) \{ \[void\]\(Dismount-DiskImage -ImagePath \$vhd .*^ {2}Remove-Item -LiteralPath \$work /ms);
  });

  test("asks a session in ASCII, by the escapes of the scripts' own answers", () => {
    const [escapes = ""] = /'\[\^ -~\]', \{.*?\}\)/.exec(prologue) ?? [];
    expect(escapes).toContain("-f [int][char]$Match.Value");
    expect(script).toContain(`$request = [regex]::Replace($request, ${escapes}\n  $script:session.StandardInput.WriteLine($request)`);
  });

  test("asks before every change whether it would be one of the virtual disk, and never goes on where it is not", () => {
    const [, body = ""] = /^function Test-Change\(.*?\) \{\n(.*?)^\}/ms.exec(script) ?? [];
    expect(
      body
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(["Assert-Scratch $Params", "Test-Operation $Op $Params $Check"]);
    expect(script).toContain("$ErrorActionPreference = 'Stop'");
    const [, asserted = ""] = /^function Assert-Scratch\(.*?\) \{\n(.*?)^\}/ms.exec(script) ?? [];
    expect(asserted.match(/\bthrow\b/g)).toHaveLength(6);
    expect(asserted).not.toContain("catch");
  });
});
