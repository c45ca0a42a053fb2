/** A regular expression as it stands in a source. */
export interface RegexLiteral {
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

const keywordsBeforeValues = new Set(["return", "case", "typeof", "void", "in", "of", "delete", "yield", "await", "else", "do", "throw"]);

/**
 * Every regular expression literal of a TypeScript source. A slash starts one where a value is expected, and divides after a
 * value: the last token before it decides, as in the language itself. Strings, templates, comments and a `#!` line are passed over.
 */
export function regexLiterals(text: string): RegexLiteral[] {
  const found: RegexLiteral[] = [];
  /** For each template that is open: how many braces are open in its present `${}`. */
  const templates: number[] = [];
  let last = "";
  let at = 0;
  const token = /\s+|\/\/.*|#!.*|\/\*[\s\S]*?\*\/|[\w$]+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\s\S]/y;
  while (at < text.length) {
    if (text[at] === "`" || (text[at] === "}" && templates.at(-1) === 0)) {
      if (text[at] === "}") templates.pop();
      const { end, opens } = templateEnd(text, at + 1);
      if (opens) templates.push(0);
      last = opens ? "{" : "`";
      at = end;
      continue;
    }
    token.lastIndex = at;
    const word = token.exec(text)?.[0] ?? "";
    const comment = /^(\/\/|\/\*|#!)/.test(word);
    if (word === "/" && !endsValue(last)) {
      const literal = regexAt(text, at);
      found.push({ line: text.slice(0, at).split("\n").length, source: literal.source, flags: literal.flags });
      last = "/regex/";
      at = literal.end;
      continue;
    }
    const depth = templates.at(-1);
    if (depth !== undefined && (word === "{" || word === "}")) templates[templates.length - 1] = depth + (word === "{" ? 1 : -1);
    if (!comment && word.trim() !== "") last = word;
    at += word.length;
  }
  return found;
}

/** Whether a token ends a value, so that a slash after it divides. */
function endsValue(token: string): boolean {
  return /^[\w$"'`)\]}]|^\/regex\/$/.test(token) && !keywordsBeforeValues.has(token);
}

/** Where the text of a template ends: after its backtick, or after a `${`. */
function templateEnd(text: string, from: number): { end: number; opens: boolean } {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") return { end: at + 1, opens: false };
    else if (text.startsWith("${", at)) return { end: at + 2, opens: true };
  }
  throw new Error("a template without end");
}

function regexAt(text: string, start: number): { source: string; flags: string; end: number } {
  let inClass = false;
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") inClass = true;
    else if (text[at] === "]") inClass = false;
    else if (text[at] === "/" && !inClass) {
      const flags = /^[a-z]*/.exec(text.slice(at + 1, at + 10))?.[0] ?? "";
      return { source: text.slice(start + 1, at), flags, end: at + 1 + flags.length };
    }
  }
  throw new Error(`a regular expression without end: ${text.slice(start, start + 40)}`);
}
