import { ownValue } from "@csi-sidecars/base";
import { deepEqual, isObject } from "../json.ts";

/** What an expression may name: `self` and, in a rule about changes, `oldSelf`. */
type Variables = Readonly<Record<string, unknown>>;

/** A compiled expression; it throws where CEL has an evaluation error, such as for an absent member. */
export type Expression = (variables: Variables) => unknown;

/**
 * The part of CEL that validation rules of storage definitions use: members, `has`, `size`, comparisons, `&&`, `||`, `!` and `?:`.
 * Anything else is refused when the rule is compiled.
 */
export function parseCel(text: string): Expression {
  const reader = new Reader(tokens(text));
  const expression = conditional(reader);
  reader.expect("");
  return expression;
}

class Reader {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(all: readonly Token[]) {
    this.#tokens = all;
  }

  take(): Token {
    return this.#tokens[this.#next++] ?? { kind: "end", text: "" };
  }

  /** Takes the symbol if it is the next token. */
  accept(symbol: string): boolean {
    const found = this.#tokens[this.#next];
    if (found?.kind !== "symbol" || found.text !== symbol) return false;
    this.#next++;
    return true;
  }

  expect(symbol: string): void {
    const { text } = this.take();
    if (text !== symbol) throw new Error(`CEL: found ${JSON.stringify(text)}, expected ${JSON.stringify(symbol || "end")}`);
  }
}

function conditional(reader: Reader): Expression {
  const condition = either(reader);
  if (!reader.accept("?")) return condition;
  const yes = conditional(reader);
  reader.expect(":");
  const no = conditional(reader);
  return (variables) => (condition(variables) === true ? yes(variables) : no(variables));
}

function either(reader: Reader): Expression {
  let left = both(reader);
  while (reader.accept("||")) left = logical(left, both(reader), true);
  return left;
}

function both(reader: Reader): Expression {
  let left = comparison(reader);
  while (reader.accept("&&")) left = logical(left, comparison(reader), false);
  return left;
}

/** `&&` and `||` may be decided by one side even when the other fails. */
function logical(left: Expression, right: Expression, deciding: boolean): Expression {
  return (variables) => {
    try {
      if (left(variables) === deciding) return deciding;
    } catch (error) {
      if (right(variables) === deciding) return deciding;
      throw error;
    }
    return right(variables) === deciding ? deciding : !deciding;
  };
}

const asNumber = (value: unknown): number | bigint => (typeof value === "bigint" ? value : Number(value));

const comparisons: readonly (readonly [symbol: string, compare: (a: unknown, b: unknown) => boolean])[] = [
  ["==", deepEqual],
  ["!=", (a, b) => !deepEqual(a, b)],
  ["<=", (a, b) => asNumber(a) <= asNumber(b)],
  [">=", (a, b) => asNumber(a) >= asNumber(b)],
  ["<", (a, b) => asNumber(a) < asNumber(b)],
  [">", (a, b) => asNumber(a) > asNumber(b)],
];

function comparison(reader: Reader): Expression {
  const left = unary(reader);
  const found = comparisons.find(([symbol]) => reader.accept(symbol));
  if (!found) return left;
  const right = unary(reader);
  return (variables) => found[1](left(variables), right(variables));
}

function unary(reader: Reader): Expression {
  if (!reader.accept("!")) return member(reader);
  const inner = unary(reader);
  return (variables) => inner(variables) !== true;
}

function member(reader: Reader): Expression {
  let value = primary(reader);
  while (reader.accept(".")) {
    const name = reader.take().text;
    if (!reader.accept("(")) value = read(value, name);
    else {
      if (name !== "size") throw new Error(`CEL: function ${JSON.stringify(name)} is not known`);
      reader.expect(")");
      value = size(value);
    }
  }
  return value;
}

/** Names that CEL reserves are written between underscores. */
const unescaped = (name: string): string => /^__(\w+?)__$/.exec(name)?.[1] ?? name;

function primary(reader: Reader): Expression {
  if (reader.accept("(")) {
    const inner = conditional(reader);
    reader.expect(")");
    return inner;
  }
  const { kind, text } = reader.take();
  if (kind === "string") return () => text;
  if (kind === "number") return () => Number(text);
  if (kind !== "name") throw new Error(`CEL: found ${JSON.stringify(text)}, expected a value`);
  if (text === "true" || text === "false") return () => text === "true";
  if (text === "has" || text === "size") {
    reader.expect("(");
    const result = text === "has" ? has(reader) : size(conditional(reader));
    reader.expect(")");
    return result;
  }
  return (variables) => {
    if (!Object.hasOwn(variables, text)) throw new Error(`CEL: ${text} is not known`);
    return ownValue(variables, text);
  };
}

function has(reader: Reader): Expression {
  let parent = primary(reader);
  reader.expect(".");
  let name = reader.take().text;
  while (reader.accept(".")) {
    parent = read(parent, name);
    name = reader.take().text;
  }
  const last = unescaped(name);
  const whole = parent;
  return (variables) => {
    const found = whole(variables);
    return isObject(found) && Object.hasOwn(found, last);
  };
}

function read(parent: Expression, name: string): Expression {
  const member = unescaped(name);
  return (variables) => {
    const found = parent(variables);
    if (!isObject(found) || !Object.hasOwn(found, member)) throw new Error(`no such key: ${name}`);
    return ownValue(found, member);
  };
}

function size(of: Expression): Expression {
  return (variables) => {
    const found = of(variables);
    if (typeof found === "string") return [...found].length;
    return Array.isArray(found) ? found.length : isObject(found) ? Object.keys(found).length : 0;
  };
}

/** A token of a CEL expression. */
interface Token {
  readonly kind: "name" | "number" | "string" | "symbol" | "end";
  readonly text: string;
}

const pattern =
  /\s*(?:(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z_]\w*)|(?<symbol>\|\||&&|==|!=|<=|>=|[!<>().,?:[\]]))/y;

/** The tokens of an expression; anything unsupported is an error. */
function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  pattern.lastIndex = 0;
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(text)?.groups;
    if (!groups) throw new Error(`CEL: cannot read ${JSON.stringify(text.slice(at))}`);
    for (const kind of ["string", "number", "name", "symbol"] as const) {
      const piece = groups[kind];
      if (piece !== undefined) found.push({ kind, text: kind === "string" ? unquoted(piece) : piece });
    }
  }
  return found;
}

const unquoted = (text: string): string => text.slice(1, -1).replace(/\\(.)/g, "$1");
