import { type Document, isAlias, isNode, type Node, visit } from "yaml";

/** Whether a part of a document has a name that aliases may refer to. */
export function definesAnchor(node: unknown): boolean {
  return isNode(node) && some(node, (each) => "anchor" in each && each.anchor !== undefined);
}

/** Whether a part of a document refers to another. */
export function hasAlias(node: unknown): boolean {
  return isNode(node) && some(node, (each) => isAlias(each));
}

/** The first alias that is part of what it refers to: such a document has no end. */
export function endlessAlias(document: Document.Parsed): string | undefined {
  let found: string | undefined;
  visit(document, {
    Alias(_, alias, path) {
      const target = alias.resolve(document);
      if (target && path.includes(target)) found = alias.source;
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  return found;
}

/** Writes what aliases refer to in their places. */
export function expandAliases(document: Document.Parsed): void {
  visit(document, { Alias: (_, alias) => alias.resolve(document)?.clone() as Node | undefined });
  visit(document, {
    Node(_, node) {
      if ("anchor" in node) delete node.anchor;
    },
  });
}

function some(node: Node, fits: (node: Node) => boolean): boolean {
  let found = false;
  visit(node, {
    Node(_, each) {
      found ||= fits(each);
      return found ? visit.BREAK : undefined;
    },
  });
  return found;
}
