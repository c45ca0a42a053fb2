import { type OperationId, operations } from "../catalogue.ts";
import { operationScripts } from "./operation-scripts.ts";
import { prologue } from "./prologue.ts";

/**
 * The script that runs one operation in a PowerShell of its own. It takes its parameters from the environment and prints one envelope,
 * so that it is the same for every call.
 */
export function scriptOf(op: OperationId): string {
  const { functions, body } = operationScripts[op];
  const parameters = operations[op].params.map((name) => `  ${name} = $Env:${name}`);
  return [
    prologue,
    ...functions,
    ["function Invoke-Operation($p) {", body, "}"].join("\n"),
    ["$parameters = @{", ...parameters, "}"].join("\n"),
    oneOperation,
  ].join("\n\n");
}

const oneOperation = `
try {
  $result = @(Invoke-Operation $parameters)[-1]
  $answer = @{ ok = $true; data = $result.data }
} catch {
  $answer = @{ ok = $false; error = Get-Failure $_ }
}
Write-Answer $answer
exit 0
`.trim();
