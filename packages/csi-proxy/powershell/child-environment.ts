import { operations } from "./catalogue.ts";
import type { OperationParameters } from "./executor.ts";

/** Names the operation to a process; the scripts do not need it, whoever looks at the process or stands in for it does. */
export const operationVariable = "CSI_PROXY_OP";

const parameterNames = [operationVariable, ...Object.values(operations).flatMap(({ params }) => params)];

/**
 * Where PowerShell looks for modules. Without it, it looks where its own are. Below a PowerShell 7 it names that one's, which Windows
 * PowerShell cannot load: then it has no `Get-CimInstance`.
 */
const modulePath = "PSModulePath";

/**
 * The environment of a child: all that is inherited, since PowerShell needs `SystemRoot` and `PATH`, with variables of its own. A
 * variable that merely has the name of a parameter is taken out first: a script would take it for one.
 */
export function childEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  variables: OperationParameters,
  platform: NodeJS.Platform,
): Record<string, string> {
  const compared = (name: string) => (platform === "win32" ? name.toLowerCase() : name);
  const taken = new Set([modulePath, ...parameterNames].map(compared));
  const kept = Object.entries(inherited).filter(([name]) => !taken.has(compared(name)));
  // Windows has no empty variables.
  const set = Object.entries(variables).filter(([, value]) => value !== "");
  return Object.fromEntries([...kept, ...set].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
