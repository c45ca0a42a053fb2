import { powershell } from "./operation-script.ts";
import { operationScripts } from "./operation-scripts.ts";
import { prologue } from "./prologue.ts";

/**
 * The script of a session: it reads requests from its standard input, one JSON object per line, and answers each with one line that has
 * the id of the request. It ends with its input.
 *
 * The operations are the branches of a switch. What a request says is compared with their names and passed to them as values; none of
 * it is ever run.
 */
export function sessionHostScript(): string {
  const scripts = Object.values(operationScripts);
  const functions = new Set(scripts.flatMap((script) => script.functions));
  const branches = Object.entries(operationScripts).map(([op, { body }]) => `'${op}' {\n${body}\n}`);
  return [
    prologue,
    ...functions,
    ["function Invoke-Operation([string]$Op, $p) {", "switch ($Op) {", ...branches, unknownOperation, "}", "}"].join("\n"),
    requests,
  ].join("\n\n");
}

const unknownOperation = "default { throw 'no such operation' }";

/**
 * No cmdlet reads the requests: Windows logs what cmdlets are given, in clear text, where an administrator has turned on module logging.
 * The class is the one by which Windows PowerShell's own cmdlet reads JSON. PowerShell 7's cmdlet would also take a text that looks like a
 * date for one: a password must not change on its way.
 * The automatic variable for piped input must not occur: PowerShell would read the requests itself.
 */
const requests = powershell`
if ($PSVersionTable.PSVersion.Major -lt 6) { Add-Type -AssemblyName 'System.Web.Extensions' }

function Read-Request([string]$Line) {
  $parameters = @{}
  if ($PSVersionTable.PSVersion.Major -ge 6) {
    $root = [System.Text.Json.JsonDocument]::Parse($Line).RootElement
    foreach ($entry in $root.GetProperty('params').EnumerateObject()) { $parameters[$entry.Name] = $entry.Value.GetString() }
    return @{ id = $root.GetProperty('id').GetInt64(); op = $root.GetProperty('op').GetString(); parameters = $parameters }
  }
  $request = [System.Web.Script.Serialization.JavaScriptSerializer]::new().DeserializeObject($Line)
  foreach ($entry in $request['params'].GetEnumerator()) { $parameters[$entry.Key] = [string]$entry.Value }
  @{ id = $request['id']; op = [string]$request['op']; parameters = $parameters }
}

$reader = [System.IO.StreamReader]::new([Console]::OpenStandardInput(), [System.Text.Encoding]::ASCII)
while ($null -ne ($line = $reader.ReadLine())) {
  $id = $null
  try {
    $request = Read-Request $line
    $id = $request.id
    $result = @(Invoke-Operation $request.op $request.parameters)[-1]
    $answer = @{ id = $id; ok = $true; data = $result.data }
  } catch {
    $answer = @{ id = $id; ok = $false; error = Get-Failure $_ }
  }
  Write-Answer $answer
}
exit 0
`;
