/** What a query of Prometheus asks for. */
export interface Query {
  /** The metrics that it selects, each with the labels of its matchers. */
  readonly selectors: readonly Selector[];
  /** The labels of its `by`, `on`, `without`, `ignoring` and `group_left`. */
  readonly grouping: readonly string[];
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly value: string }[];
}

const token = /\s*(?:("(?:[^"\\]|\\.)*")|(\[[^\]]*\])|(\d[\w.]*)|([A-Za-z_:][\w:]*)|(=~|!~|!=|==|>=|<=|[-+*/%^=<>(){},]))/y;
const words = ["and", "or", "unless", "bool", "offset"];
const groupingWords = ["by", "on", "without", "ignoring", "group_left", "group_right"];

/** Takes a query apart; throws where it is none. Functions are not checked: promtool does. */
export function parseQuery(text: string): Query {
  const tokens = tokensOf(text);
  const selectors: Selector[] = [];
  const grouping: string[] = [];
  const closing: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const word = tokens[at] ?? "";
    const next = tokens[at + 1];
    if (word === "(") closing.push(")");
    else if (word === ")") {
      if (closing.pop() !== ")") throw new Error(`unexpected ) in ${text}`);
    } else if (word === "{") throw new Error(`a selector without a metric in ${text}`);
    else if (!/^[A-Za-z_]/.test(word) || words.includes(word)) continue;
    else if (groupingWords.includes(word) && next === "(") {
      const end = tokens.indexOf(")", at);
      grouping.push(...tokens.slice(at + 2, end).filter((each) => each !== ","));
      at = end;
    } else if (next === "(" || groupingWords.includes(next ?? "")) continue;
    else if (next === "{") {
      const end = tokens.indexOf("}", at);
      if (end < 0) throw new Error(`a { without } in ${text}`);
      selectors.push({ metric: word, matchers: matchersOf(tokens.slice(at + 2, end), text) });
      at = end;
    } else selectors.push({ metric: word, matchers: [] });
  }
  if (closing.length > 0) throw new Error(`a ( without ) in ${text}`);
  return { selectors, grouping };
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const at = token.lastIndex;
    const [match] = token.exec(text) ?? [];
    if (match === undefined) throw new Error(`${JSON.stringify(text.slice(at, at + 20))} is no PromQL in ${text}`);
    tokens.push(match.trim());
  }
  return tokens;
}

function matchersOf(tokens: readonly string[], text: string): Selector["matchers"] {
  const matchers: { label: string; value: string }[] = [];
  for (let at = 0; at < tokens.length; at += 4) {
    const [label = "", operator = "", value = "", comma = ","] = tokens.slice(at, at + 4);
    if (!/^\w+$/.test(label) || !/^(=|!=|=~|!~)$/.test(operator) || !value.startsWith('"') || comma !== ",")
      throw new Error(`${tokens.slice(at, at + 4).join("")} is no matcher in ${text}`);
    matchers.push({ label, value: JSON.parse(value) });
  }
  return matchers;
}
