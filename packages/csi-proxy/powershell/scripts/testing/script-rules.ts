import type { Node } from "web-tree-sitter";
import { allowedCommands, allowedMethods, allowedTypes } from "./allowed-commands.ts";
import { nodesOf } from "./parse-powershell.ts";

/** Syntax through which a text could become a command, or output could go astray. */
const forbidden: ReadonlyMap<string, string> = new Map([
  ["command_invokation_operator", "calls what is not a command of its own"],
  ["command_name_expr", "calls a command by a value"],
  ["expandable_here_string_literal", "expands a here-string"],
  ["expandable_string_literal", "expands a string"],
  ["redirection", "redirects"],
  ["stop_parsing", "stops the parser"],
  ["sub_expression", "has a subexpression"],
  ["verbatim_here_string_characters", "has a here-string"],
]);

/** The violations of what every script must keep to, with their lines. */
export function violations(root: Node): readonly string[] {
  const rules = [forbiddenSyntax, unknownType, unknownMethod];
  return [...unknownCommands(root, allowedCommands), ...rules.flatMap((rule) => found(root, rule))];
}

/** Commands that are neither functions of the script nor known, and parameters that theirs do not have, with their lines. */
export function unknownCommands(root: Node, known: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const functions = functionsOf(root);
  return found(root, (node) => unknownCommand(node, functions, known));
}

function found(root: Node, rule: (node: Node) => string | undefined): readonly string[] {
  return [...nodesOf(root)].flatMap((node) => {
    const text = rule(node);
    return text === undefined ? [] : [`line ${node.startPosition.row + 1} ${text}`];
  });
}

function forbiddenSyntax(node: Node): string | undefined {
  const why = forbidden.get(node.type);
  return why && `${why}: ${node.text}`;
}

function unknownCommand(
  node: Node,
  functions: ReadonlyMap<string, number>,
  known: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const name = node.type === "command" && childOf(node, "command_name")?.text;
  if (!name) return undefined;
  const elements = childOf(node, "command_elements")?.namedChildren.filter((child) => child?.type !== "command_argument_sep") ?? [];
  const parameters = elements.flatMap((element) => (element?.type === "command_parameter" ? [element.text] : []));
  const expected = functions.get(name);
  if (expected !== undefined)
    return parameters.length > 0 || elements.length !== expected
      ? `calls ${name} with ${elements.length} arguments of ${expected}`
      : undefined;
  const allowed = known.get(name);
  if (!allowed) return `calls ${name}`;
  if (name === "Add-Type" && !elements.at(-1)?.text.startsWith("'")) return "compiles what is not a constant";
  const unknown = parameters.filter((parameter) => !allowed.includes(parameter));
  return unknown.length > 0 ? `calls ${name} with ${unknown.join(" ")}` : undefined;
}

/** What the cmdlets of a script are given; its own functions do not count. */
export function cmdletArguments(root: Node): readonly string[] {
  const functions = functionsOf(root);
  return [...nodesOf(root)]
    .filter((node) => node.type === "command" && !functions.has(childOf(node, "command_name")?.text ?? ""))
    .map((node) => childOf(node, "command_elements")?.text ?? "");
}

function unknownType(node: Node): string | undefined {
  return node.type === "type_literal" && !allowedTypes.includes(node.text) ? `uses the type ${node.text}` : undefined;
}

function unknownMethod(node: Node): string | undefined {
  const name = node.type === "invokation_expression" && childOf(node, "member_name")?.text;
  return name !== false && !allowedMethods.includes(name ?? "") ? `calls the method ${name}` : undefined;
}

/** The functions that a script defines, with the number of their parameters. */
export function functionsOf(root: Node): ReadonlyMap<string, number> {
  return new Map(
    [...nodesOf(root)]
      .filter((node) => node.type === "function_statement")
      .map((node) => {
        const list = childOf(childOf(node, "function_parameter_declaration"), "parameter_list");
        return [childOf(node, "function_name")?.text ?? "", list?.namedChildren.length ?? 0];
      }),
  );
}

export function childOf(node: Node | undefined, type: string): Node | undefined {
  return node?.children.find((child) => child?.type === type) ?? undefined;
}
