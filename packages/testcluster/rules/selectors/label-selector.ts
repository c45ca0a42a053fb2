import { ownValue } from "@csi-sidecars/base";
import { invalidValue } from "../field-error.ts";
import { labelValueErrors, qualifiedNameErrors } from "../name-validation.ts";
import { badRequest } from "../status.ts";

/** Whether an object with these labels is selected. */
type LabelMatch = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** The `labelSelector` of lists and watches; the empty one selects everything. Bad syntax is a 400 with the real server's message. */
export function parseLabelSelector(text: string): LabelMatch {
  const tokens = scan(text);
  const requirements: LabelMatch[] = [];
  while (tokens.peek().kind !== "end") {
    const start = tokens.peek();
    if (start.kind !== "word" && start.kind !== "!") throw badRequest(`found '${start.text}', expected: !, identifier, or 'end of string'`);
    requirements.push(requirement(tokens));
    const separator = tokens.take();
    if (separator.kind === "end") break;
    if (separator.kind !== ",") throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
    const next = tokens.peek();
    if (next.kind !== "word" && next.kind !== "!") throw badRequest(`found '${next.text}', expected: identifier after ','`);
  }
  return (labels = {}) => requirements.every((matches) => matches(labels));
}

interface Token {
  readonly kind: "word" | "!" | "," | "(" | ")" | "=" | "==" | "!=" | ">" | "<" | "end";
  readonly text: string;
}

interface Tokens {
  peek(): Token;
  take(): Token;
}

function scan(text: string): Tokens {
  const tokens: Token[] = [];
  for (const [found] of text.matchAll(/==|!=|[!,()=<>]|[^\s!,()=<>]+/g)) {
    tokens.push({ kind: isSymbol(found) ? found : "word", text: found });
  }
  const end: Token = { kind: "end", text: "" };
  let next = 0;
  return { peek: () => tokens[next] ?? end, take: () => tokens[next++] ?? end };
}

function isSymbol(text: string): text is Exclude<Token["kind"], "word" | "end"> {
  return /^(==|!=|[!,()=<>])$/.test(text);
}

const refused = (why: string) => badRequest(`unable to parse requirement: ${why}`);

function requirement(tokens: Tokens): LabelMatch {
  const absent = tokens.peek().kind === "!";
  if (absent) tokens.take();
  const key = tokens.take();
  if (key.kind !== "word") throw refused(`found '${key.text}', expected: identifier`);
  const faults = qualifiedNameErrors(key.text);
  if (faults.length > 0) throw refused(fieldText("<nil>", key.text, faults.join("; ")));
  if (absent) return (labels) => ownValue(labels, key.text) === undefined;
  const following = tokens.peek().kind;
  if (following === "end" || following === ",") return (labels) => ownValue(labels, key.text) !== undefined;
  return comparison(key.text, tokens);
}

function comparison(key: string, tokens: Tokens): LabelMatch {
  const operator = tokens.take();
  switch (operator.kind === "word" ? operator.text : operator.kind) {
    case "=":
    case "==":
      return oneOf(key, [exactValue(tokens)]);
    case "!=":
      return not(oneOf(key, [exactValue(tokens)]));
    case "in":
      return oneOf(key, valueSet(tokens));
    case "notin":
      return not(oneOf(key, valueSet(tokens)));
    case ">":
      return ordered(key, exactValue(tokens), (found, limit) => found > limit);
    case "<":
      return ordered(key, exactValue(tokens), (found, limit) => found < limit);
    default:
      throw refused(`found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

const not =
  (matches: LabelMatch): LabelMatch =>
  (labels) =>
    !matches(labels);

function oneOf(key: string, values: readonly string[]): LabelMatch {
  const errors = values.flatMap((value, i) => valueErrors(key, value, i));
  if (errors.length > 0) throw refused(together(errors));
  return (labels) => {
    const found = ownValue(labels, key);
    return found !== undefined && values.includes(found);
  };
}

function valueErrors(key: string, value: string, i: number): readonly string[] {
  const faults = labelValueErrors(value);
  return faults.length > 0 ? [fieldText(`values[${i}][${key}]`, value, faults.join("; "))] : [];
}

const together = (errors: readonly string[]) => (errors.length === 1 ? errors.join() : `[${errors.join(", ")}]`);

function ordered(key: string, value: string, compare: (found: bigint, limit: bigint) => boolean): LabelMatch {
  const integer = /^[+-]?\d+$/;
  const number = integer.test(value) ? [] : [fieldText("values[0]", value, "for 'Gt', 'Lt' operators, the value must be an integer")];
  const errors = [...number, ...valueErrors(key, value, 0)];
  if (errors.length > 0) throw refused(together(errors));
  return (labels) => {
    const found = ownValue(labels, key);
    return found !== undefined && integer.test(found) && compare(BigInt(found), BigInt(value));
  };
}

function exactValue(tokens: Tokens): string {
  const next = tokens.peek();
  if (next.kind === "end" || next.kind === ",") return "";
  tokens.take();
  if (next.kind !== "word") throw refused(`found '${next.text}', expected: identifier`);
  return next.text;
}

function valueSet(tokens: Tokens): readonly string[] {
  const open = tokens.take();
  if (open.kind !== "(") throw refused(`found '${open.text}' expected: '('`);
  const first = tokens.peek();
  if (first.kind !== "word" && first.kind !== "," && first.kind !== ")")
    throw refused(`found '${first.text}', expected: ',', ')' or identifier`);
  const values = [""];
  for (;;) {
    const token = tokens.take();
    if (token.kind === ")") return [...new Set(values)].sort();
    if (token.kind === ",") values.push("");
    else if (token.kind !== "word") throw refused(`found '${token.text}', expected: ',', or identifier`);
    else {
      values[values.length - 1] = token.text;
      const next = tokens.peek();
      if (next.kind !== "," && next.kind !== ")") throw refused(`found '${next.text}', expected: ',' or ')'`);
    }
  }
}

function fieldText(field: string, value: string, detail: string): string {
  return `${field}: ${invalidValue(field, value, detail).message}`;
}
