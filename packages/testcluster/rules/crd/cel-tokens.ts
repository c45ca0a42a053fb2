/** A piece of a CEL expression. */
export interface Token {
  readonly kind: "name" | "number" | "string" | "symbol" | "end";
  readonly text: string;
}

const pattern =
  /\s*(?:(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z_]\w*)|(?<symbol>\|\||&&|==|!=|<=|>=|[!<>().,?:[\]]))/y;

/** The pieces of an expression; anything that is not understood is an error. */
export function tokens(text: string): readonly Token[] {
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
