import { fileURLToPath } from "node:url";
import { Language, type Node, Parser } from "web-tree-sitter";

let parser: Promise<Parser> | undefined;

/** The syntax tree of a script. No PowerShell is needed for it: the grammar runs as WebAssembly. */
export async function parsePowershell(script: string): Promise<Node> {
  parser ??= startParser();
  const tree = (await parser).parse(script);
  if (!tree) throw new Error("the parser was stopped");
  return tree.rootNode;
}

async function startParser(): Promise<Parser> {
  await Parser.init();
  const grammar = import.meta.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm");
  const started = new Parser();
  started.setLanguage(await Language.load(fileURLToPath(grammar)));
  return started;
}

/** The node and everything below it, in the order of the text. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children) if (child) yield* nodesOf(child);
}

/** What the grammar did not understand, with its line. */
export function syntaxErrors(root: Node): readonly string[] {
  return [...nodesOf(root)]
    .filter((node) => node.isError || node.isMissing)
    .map((node) => `line ${node.startPosition.row + 1}: ${node.text.slice(0, 80)}`);
}
