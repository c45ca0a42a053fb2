import type { Node } from "web-tree-sitter";
import { nodesOf } from "./parse-powershell.ts";
import { childOf } from "./script-rules.ts";

/** The body of an operation in the script that runs it alone. */
export function bodyOf(root: Node): Node {
  const body = root
    .descendantsOfType("function_statement")
    .find((node) => childOf(node ?? undefined, "function_name")?.text === operationFunction);
  if (!body) throw new Error(`the script has no function ${operationFunction}`);
  return body;
}

const operationFunction = "Invoke-Operation";

/** The WMI method that a body calls, with the names of its arguments: `MSFT_iSCSITarget.Connect(NodeAddress)`, `Initialize(PartitionStyle)`. */
export function methodCall(body: Node): string | undefined {
  for (const command of nodesOf(body)) {
    if (command.type !== "command") continue;
    const name = childOf(command, "command_name")?.text;
    const elements = childOf(command, "command_elements")?.namedChildren.filter((child) => child?.type !== "command_argument_sep") ?? [];
    const [first, second, third, fourth] = elements.map((element) => element?.text ?? "");
    if (name === "Invoke-InstanceMethod") return `${second}(${argumentNames(body, elements[2], third).join()})`;
    if (name === "Invoke-ClassMethod" && first) return `${second}.${third}(${argumentNames(body, elements[3], fourth).join()})`;
  }
  return undefined;
}

function argumentNames(body: Node, element: Node | null | undefined, text: string | undefined): readonly string[] {
  if (!text?.startsWith("$")) return element ? keysOf(element) : [];
  return [...nodesOf(body)]
    .filter((node) => node.type === "assignment_expression")
    .flatMap((assignment) => {
      const target = childOf(assignment, "left_assignment_expression")?.text ?? "";
      if (target.startsWith(`${text}.`)) return [target.slice(text.length + 1)];
      return target === text ? keysOf(assignment) : [];
    });
}

/** The shapes of what a body answers with: `null or {uniqueId}`, `[{address,port}]`, `[value]`. */
export function dataShape(body: Node): string {
  const shapes = [...nodesOf(body)].flatMap((node) => {
    if (node.type === "command_name" && node.text === "Get-MethodAnswer") return ["{returnValue}"];
    return node.type === "hash_entry" && keyOf(node) === "data" ? [shapeOf(node)] : [];
  });
  return [...new Set(shapes)].join(" or ");
}

function shapeOf(entry: Node): string {
  const value = entry.text.slice(entry.text.indexOf("=") + 1).trim();
  const keys = keysOf(entry).filter((key) => key !== "data");
  const item = keys.length > 0 ? `{${[...new Set(keys)].join()}}` : "value";
  if (value.startsWith("@(")) return `[${item}]`;
  return value === "$null" ? "null" : item;
}

function keysOf(node: Node): readonly string[] {
  return [...nodesOf(node)].filter(({ type }) => type === "hash_entry").map(keyOf);
}

function keyOf(entry: Node): string {
  return childOf(entry, "key_expression")?.text ?? "";
}
