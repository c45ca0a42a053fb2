import { join } from "node:path";
import { type Expression, type Node, type ObjectLiteralExpression, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import {
  isAsExpression,
  isBinaryExpression,
  isCallExpression,
  isDeleteExpression,
  isElementAccessExpression,
  isNonNullExpression,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isSatisfiesExpression,
  isSpreadAssignment,
  isSpreadElement,
} from "typescript/unstable/ast/is";
import { API, type Checker, type Type, TypeFlags } from "typescript/unstable/async";

/** A place where a key that the compiler does not know meets an object that inherits from `Object.prototype`. */
export interface PlainObjectMap {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** An expression that looks up `key` in `object`, or assigns all keys of `sources` to it. */
type Lookup = { readonly node: Node; readonly object: Expression } & (
  | { readonly key: Expression }
  | { readonly sources: readonly Expression[] }
);

/** `{ ...source }`: its type has the brand of a `Dictionary` that is the source, but it has a prototype. */
interface Copy {
  readonly node: ObjectLiteralExpression;
  readonly copied: Expression;
}

/** The brand of `Dictionary` in packages/base. */
const dictionaryBrand = "withoutPrototype";

/**
 * Finds plain objects that are used as maps: `object[key]` and `key in object` with a key of type `string`, and `Object.assign` of
 * objects with an index signature to one. Such a key may be `constructor`, which every object inherits, or `__proto__`, which an
 * assignment drops. `Dictionary` and `ownValue` of packages/base, `Map`, `Object.fromEntries` and spreads are free of both. Finds also copies of a
 * `Dictionary` that pass for one and are plain objects.
 *
 * It goes by types, so it does not see a key whose type was narrowed by an assertion in another place, a key of type `keyof T`
 * with a type parameter `T`, a computed name in a destructuring, or what JavaScript of dependencies does.
 */
export async function plainObjectMaps(root: string, files: readonly string[]): Promise<readonly PlainObjectMap[]> {
  const api = new API({ cwd: root });
  const tsconfig = join(root, "tsconfig.json");
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [tsconfig] });
    const project = snapshot.getProject(tsconfig);
    if (!project) throw new Error(`the compiler does not know the project ${tsconfig}`);
    const found: PlainObjectMap[] = [];
    for (const file of files) {
      const source = await project.program.getSourceFile(join(root, file));
      if (!source) throw new Error(`${tsconfig} does not contain ${file}`);
      const lookups = lookupsIn(source);
      const wrong = await Promise.all(
        lookups.map((lookup) => ("copied" in lookup ? passesForDictionary(project.checker, lookup) : isUnsafe(project.checker, lookup))),
      );
      found.push(...lookups.filter((_, index) => wrong[index]).map(({ node }) => place(file, source, node)));
    }
    return found;
  } finally {
    await api.close();
  }
}

function lookupsIn(source: SourceFile): readonly (Lookup | Copy)[] {
  const lookups: (Lookup | Copy)[] = [];
  const visit = (node: Node): void => {
    if (isElementAccessExpression(node) && !isDeleteExpression(node.parent)) {
      lookups.push({ node, object: node.expression, key: withoutAssertions(node.argumentExpression) });
    }
    if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword) {
      lookups.push({ node, object: node.right, key: node.left });
    }
    if (isCallExpression(node) && node.expression.getText(source) === "Object.assign") {
      const [object, ...sources] = node.arguments;
      if (object) lookups.push({ node, object, sources });
    }
    if (isObjectLiteralExpression(node)) {
      for (const part of node.properties) if (isSpreadAssignment(part)) lookups.push({ node, copied: part.expression });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return lookups;
}

async function isUnsafe(checker: Checker, lookup: Lookup): Promise<boolean> {
  return (await takesAnyKey(checker, lookup)) && !(await isDictionary(checker, lookup.object));
}

async function passesForDictionary(checker: Checker, { node, copied }: Copy): Promise<boolean> {
  if (!(await isDictionary(checker, copied))) return false;
  const wanted = await checker.getContextualType(node);
  return wanted === undefined || hasBrand(checker, wanted);
}

async function takesAnyKey(checker: Checker, lookup: Lookup): Promise<boolean> {
  if ("sources" in lookup) {
    const open = await Promise.all(lookup.sources.map((source) => hasAnyKeys(checker, source)));
    return open.includes(true);
  }
  const key = await checker.getTypeAtLocation(lookup.key);
  return key !== undefined && isOpen(checker, key);
}

async function isDictionary(checker: Checker, object: Expression): Promise<boolean> {
  const type = await checker.getTypeAtLocation(object);
  return type !== undefined && hasBrand(checker, type);
}

async function hasBrand(checker: Checker, type: Type): Promise<boolean> {
  const present = await checker.getNonNullableType(type);
  return present !== undefined && (await checker.getPropertiesOfType(present)).some(({ name }) => name.includes(dictionaryBrand));
}

/** Whether an object, or one of those that `...objects` stands for, has an index signature. */
async function hasAnyKeys(checker: Checker, source: Expression): Promise<boolean> {
  const type = await checker.getTypeAtLocation(isSpreadElement(source) ? source.expression : source);
  if (!type) return false;
  const infos = await checker.getIndexInfosOfType(type);
  if (infos.some(({ keyType }) => keyType.flags & TypeFlags.String)) return true;
  if (!isSpreadElement(source)) return false;
  const elements = await Promise.all(infos.map(({ valueType }) => checker.getIndexInfosOfType(valueType)));
  return elements.flat().some(({ keyType }) => keyType.flags & TypeFlags.String);
}

/** Whether a key may be any string, as opposed to a number, a symbol or one of a few literals. */
async function isOpen(checker: Checker, key: Type): Promise<boolean> {
  const open = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping;
  if (key.flags & open) return true;
  if (key.isUnionType() || key.isIntersectionType()) {
    const parts = await Promise.all((await key.getTypes()).map((part) => isOpen(checker, part)));
    return key.isUnionType() ? parts.includes(true) : !parts.includes(false);
  }
  if (!(key.flags & (TypeFlags.TypeParameter | TypeFlags.IndexedAccess | TypeFlags.Conditional))) return false;
  const constraint = await checker.getBaseConstraintOfType(key);
  return constraint !== undefined && constraint.id !== key.id && isOpen(checker, constraint);
}

function withoutAssertions(key: Expression): Expression {
  const asserts = isAsExpression(key) || isSatisfiesExpression(key) || isNonNullExpression(key) || isParenthesizedExpression(key);
  return asserts ? withoutAssertions(key.expression) : key;
}

function place(file: string, source: SourceFile, node: Node): PlainObjectMap {
  const code = node.getText(source);
  return { file, line: source.text.slice(0, source.text.indexOf(code, node.pos)).split("\n").length, code };
}
