import { describe, expect, test } from "bun:test";
import { parsePowershell, syntaxErrors } from "./parse-powershell.ts";
import { violations } from "./script-rules.ts";
import { environmentOf, parametersOf, strayVariables, unusedFunctions } from "./script-variables.ts";

describe("the rules of scripts", () => {
  test.each([
    ["if ($true { 1 }", "line 1"],
    ["@{ data = @( }", "line 1"],
  ])("find the syntax error in %s", async (script, expected) => {
    expect(syntaxErrors(await parsePowershell(script)).join()).toContain(expected);
  });

  test.each([
    ["Invoke-Expression $p.name", "line 1 calls Invoke-Expression"],
    ["iex $p.name", "line 1 calls iex"],
    ["Start-Process -FilePath cmd.exe", "line 1 calls Start-Process"],
    ["powershell.exe -EncodedCommand $p.name", "line 1 calls powershell.exe"],
    ["& $p.name", "line 1 calls what is not a command of its own: &"],
    [". $p.name", "line 1 calls what is not a command of its own: ."],
    ["& 'Get-CimInstance'", "line 1 calls a command by a value: 'Get-CimInstance'"],
    ["Get-CimInstance -Query $p.name", "line 1 calls Get-CimInstance with -Query"],
    ["Get-CimInstance -ClassName Win32_Service -Filter $p.name", "line 1 calls Get-CimInstance with -Filter"],
    ["Get-Item -Path $p.name", "line 1 calls Get-Item"],
    ["Add-Type -TypeDefinition $p.name", "line 1 compiles what is not a constant"],
    ['$query = "Name = $name"', 'line 1 expands a string: "Name = $name"'],
    ['@"\n$name\n"@', "line 1 expands a here-string"],
    ["@'\nname\n'@", "line 1 has a here-string"],
    ["$x = $(Get-CimInstance -ClassName CIM_BIOSElement)", "line 1 has a subexpression"],
    ["Get-CimInstance -ClassName CIM_BIOSElement > out.txt", "line 1 redirects: > out.txt"],
    ["[scriptblock]::Create($p.name)", "line 1 uses the type [scriptblock]"],
    ["[scriptblock]::Create($p.name)", "line 1 calls the method Create"],
    ["$p.name.$method()", "line 1 calls the method $method"],
    ["$ExecutionContext.InvokeCommand.InvokeScript($p.name)", "line 1 calls the method InvokeScript"],
    ["function Get-One($A) { $A }\nGet-One 1 2", "line 2 calls Get-One with 2 arguments of 1"],
    ["function Get-One($A) { $A }\nGet-One -A 1", "line 2 calls Get-One with 2 arguments of 1"],
  ])("forbid %s", async (script, expected) => {
    expect(violations(await parsePowershell(script)).join("\n")).toContain(expected);
  });

  test("allow what scripts consist of", async () => {
    const script = "function Get-One($A) { @{ data = $A.Name.TrimEnd('\\') } }\nGet-One (Get-CimInstance -ClassName CIM_BIOSElement)";
    expect(violations(await parsePowershell(script))).toEqual([]);
  });

  test("find variables that are only read or only set, function by function", async () => {
    const script = "$disks = 1\nfunction Get-One($A, $B) { foreach ($item in $A) { $item.Size + $disks } }\n$diks.Count\n$input";
    expect(strayVariables(await parsePowershell(script))).toEqual([
      "script reads $diks",
      "script reads $input",
      "script only sets $disks",
      "Get-One reads $disks",
      "Get-One only sets $B",
    ]);
  });

  test("find functions that nothing calls", async () => {
    expect(unusedFunctions(await parsePowershell("function Get-One { 1 }\nfunction Get-Two { 2 }\nGet-Two"))).toEqual(["Get-One"]);
  });

  test("find the names of parameters", async () => {
    const root = await parsePowershell("$p.volumeID\n$p.smbuser.Replace('a', 'b')\n$other.name\n$env:mountpath\n$Env:linkpath");
    expect(parametersOf(root)).toEqual(["smbuser", "volumeID"]);
    expect(environmentOf(root)).toEqual(["mountpath", "linkpath"]);
  });
});
