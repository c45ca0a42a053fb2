import { Composer, type Document, Lexer, LineCounter, Parser } from "yaml";

/** A YAML document, and what is wrong with it. */
export interface ReadDocument {
  readonly document: Document.Parsed;
  /** The first mistake, with its place. */
  readonly mistake?: string;
}

/** The documents of a stream as kubectl reads them. */
export function readDocuments(text: string): readonly ReadDocument[] {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens = [...lexer().lex(text)].flatMap((lexeme) => [...parser.next(lexeme)]);
  const composer = new Composer({ merge: true, uniqueKeys: true, keepSourceTokens: false });
  return [...composer.compose([...tokens, ...parser.end()])].map((document) => {
    const [error] = document.errors;
    if (!error) return { document };
    const { line, col } = lines.linePos(error.pos[0]);
    return { document, mistake: `${error.message} at line ${line}, column ${col}` };
  });
}

/** What the YAML library keeps to itself of its lexer. */
interface QuotedTexts {
  /** How far in a line has to be that goes on with what began before. */
  indentNext: number;
  parseQuotedScalar(): Generator<string, unknown>;
}

/**
 * The next lines of a quoted text may begin left of its key. The standard forbids it, but kubectl takes it, and generators of
 * CustomResourceDefinitions have written it for years.
 */
function lexer(): Lexer {
  const made = new Lexer();
  const own = made as unknown as QuotedTexts;
  const parseQuotedScalar = own.parseQuotedScalar.bind(own);
  own.parseQuotedScalar = function* () {
    const { indentNext } = own;
    own.indentNext = 0;
    const state = yield* parseQuotedScalar();
    own.indentNext = indentNext;
    return state;
  };
  return made;
}
