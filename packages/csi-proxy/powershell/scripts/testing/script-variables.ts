import type { Node } from "web-tree-sitter";
import { nodesOf } from "./parse-powershell.ts";
import { childOf, functionsOf } from "./script-rules.ts";

/** What PowerShell itself sets. */
const automatic = ["$_", "$true", "$false", "$null", "$Matches", "$PSVersionTable"];
/** What PowerShell itself reads, and the parameters of an operation that has none. */
const needNoReader = ["$ErrorActionPreference", "$ProgressPreference", "$WarningPreference", "$p"];

/** The environment variables that a script reads. */
export function environmentOf(root: Node): readonly string[] {
  return [...nodesOf(root)].filter(isEnvironmentVariable).map(({ text }) => text.slice("$Env:".length));
}

/** The parameters that a script reads from the table of its operation. */
export function parametersOf(root: Node): readonly string[] {
  const names = [...nodesOf(root)]
    .filter((node) => node.type === "member_access" || node.type === "invokation_expression")
    .filter((node) => node.firstChild?.text === "$p")
    .map((node) => childOf(node, "member_name")?.text ?? "");
  return [...new Set(names)].sort();
}

/**
 * Variables that are read but never set, or set but never read, in the same function: most of them would be typing errors, which
 * PowerShell takes for empty values.
 */
export function strayVariables(root: Node): readonly string[] {
  return [root, ...[...nodesOf(root)].filter((node) => node.type === "function_statement")].flatMap((scope) => {
    const name = childOf(scope, "function_name")?.text ?? "script";
    const { set, read } = variablesOf(scope);
    const unset = [...read].filter((variable) => !set.has(variable) && !automatic.includes(variable));
    const unread = [...set].filter((variable) => !read.has(variable) && !needNoReader.includes(variable));
    return [...unset.map((variable) => `${name} reads ${variable}`), ...unread.map((variable) => `${name} only sets ${variable}`)];
  });
}

/** Functions that a script has and nothing calls. */
export function unusedFunctions(root: Node): readonly string[] {
  const called = new Set([...nodesOf(root)].filter((node) => node.type === "command_name").map(({ text }) => text));
  return [...functionsOf(root).keys()].filter((name) => !called.has(name));
}

function variablesOf(scope: Node): { readonly set: ReadonlySet<string>; readonly read: ReadonlySet<string> } {
  const set = new Set<string>();
  const read = new Set<string>();
  const visit = (node: Node): void => {
    if (node.type === "function_statement" && node.id !== scope.id) return;
    if (node.type === "variable" && !isEnvironmentVariable(node)) (isSet(node) ? set : read).add(node.text);
    for (const child of node.children) if (child) visit(child);
  };
  visit(scope);
  return { set, read };
}

function isSet(variable: Node): boolean {
  const { parent } = variable;
  if (parent?.type === "script_parameter") return true;
  if (parent?.type === "foreach_statement") return parent.children.find((child) => child?.type === "variable")?.id === variable.id;
  const target = ancestorOf(variable, "left_assignment_expression");
  return target?.text === variable.text;
}

function ancestorOf(node: Node, type: string): Node | undefined {
  for (let at = node.parent; at; at = at.parent) if (at.type === type) return at;
  return undefined;
}

function isEnvironmentVariable(node: Node): boolean {
  return node.type === "variable" && /^\$env:/i.test(node.text);
}
