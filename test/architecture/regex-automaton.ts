/** What a position of a pattern can read, as a set of {@link alphabet}'s symbols. */
export type Symbols = bigint;

/** Characters that tell the classes of our patterns apart, and two symbols for the ends of the text, which `^` and `$` read. */
export const alphabet: readonly string[] = [
  ...Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code)),
  ...["\u2028", "\ufeff", "あ"],
  "begin",
  "end",
];
const begin: Symbols = 1n << BigInt(alphabet.length - 2);
const end: Symbols = 1n << BigInt(alphabet.length - 1);
const anyCharacter: Symbols = begin - 1n;

/** The ways through a pattern: its positions (one for each character, class or anchor), and which may follow which (Glushkov's construction). */
export interface Automaton {
  /** By position. Position 0 is the search for the first character of the match, which may start anywhere. */
  readonly reads: readonly Symbols[];
  readonly follow: readonly ReadonlySet<number>[];
  /** Pairs that follow each other in more than one way, as in `(a*)*`. */
  readonly ambiguous: readonly (readonly [number, number])[];
  /** Positions with which a match may end, whatever comes next. */
  readonly final: ReadonlySet<number>;
}

type Node =
  | { readonly kind: "symbol"; readonly reads: Symbols }
  | { readonly kind: "sequence" | "choice"; readonly items: readonly Node[] }
  | { readonly kind: "repeat"; readonly item: Node; readonly min: number; readonly max: number };

interface Fragment {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/** A count that varies by this much is as good as unbounded; below it, four copies show what there is to see. */
const manyRepeats = 10;
const copies = 4;

export function automatonOf(source: string, flags: string): Automaton {
  const { node, conditional } = parse(source, flags);
  const reads: Symbols[] = [anyCharacter | begin];
  const follow: Set<number>[] = [new Set(flags.includes("y") ? [] : [0])];
  const ambiguous: [number, number][] = [];
  const connect = (from: readonly number[], to: readonly number[]) => {
    for (const a of from) {
      for (const b of to) {
        if (follow[a]?.has(b)) ambiguous.push([a, b]);
        follow[a]?.add(b);
      }
    }
  };
  const sequence = (items: readonly Fragment[]): Fragment =>
    items.reduce(
      (a, b) => {
        connect(a.last, b.first);
        return {
          nullable: a.nullable && b.nullable,
          first: a.nullable ? [...a.first, ...b.first] : a.first,
          last: b.nullable ? [...a.last, ...b.last] : b.last,
        };
      },
      { nullable: true, first: [], last: [] },
    );
  const build = (node: Node): Fragment => {
    switch (node.kind) {
      case "symbol":
        follow.push(new Set());
        return { nullable: false, first: [reads.push(node.reads) - 1], last: [reads.length - 1] };
      case "sequence":
        return sequence(node.items.map(build));
      case "choice": {
        const items = node.items.map(build);
        return {
          nullable: items.some(({ nullable }) => nullable),
          first: items.flatMap(({ first }) => first),
          last: items.flatMap(({ last }) => last),
        };
      }
      case "repeat": {
        const endless = node.max - node.min >= manyRepeats;
        const count = Math.min(endless ? Math.max(1, node.min) : node.max, copies);
        const items = Array.from({ length: count }, (_, index) => {
          const item = build(node.item);
          if (endless && index === count - 1) connect(item.last, item.first);
          return index < node.min ? item : { ...item, nullable: true };
        });
        return sequence(items);
      }
    }
  };
  const whole = build(node);
  connect([0], whole.first);
  // `.*$` with the flag `s` cannot fail: what reads everything reaches the end.
  const reachesEnd = (position: number) =>
    reads[position] === anyCharacter &&
    follow[position]?.has(position) &&
    whole.last.some((last) => reads[last] === end && follow[position]?.has(last));
  const final = reads.map((_, position) => position).filter((position) => whole.last.includes(position) || reachesEnd(position));
  return { reads, follow, ambiguous, final: new Set(conditional ? [] : final) };
}

/** Reads a pattern. A lookaround or word boundary counts as always true, and makes every end of a match `conditional`: it may fail there. */
function parse(source: string, flags: string): { node: Node; conditional: boolean } {
  let at = 0;
  let conditional = false;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const match = new RegExp(pattern.source, "y");
    match.lastIndex = at;
    const found = match.exec(source) ?? undefined;
    at += found?.[0].length ?? 0;
    return found;
  };
  const choice = (): Node => {
    const items = [sequence()];
    while (take(/\|/)) items.push(sequence());
    return { kind: "choice", items };
  };
  const sequence = (): Node => {
    const items: Node[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") items.push(repeated(atom()));
    return { kind: "sequence", items };
  };
  const repeated = (item: Node): Node => {
    const count = take(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/);
    if (!count) return item;
    const [, symbol, min = "", comma, max] = count;
    if (symbol) return { kind: "repeat", item, min: symbol === "+" ? 1 : 0, max: symbol === "?" ? 1 : Number.POSITIVE_INFINITY };
    return { kind: "repeat", item, min: Number(min), max: max ? Number(max) : comma ? Number.POSITIVE_INFINITY : Number(min) };
  };
  const nothing: Node = { kind: "sequence", items: [] };
  const atom = (): Node => {
    const group = take(/\((\?<?[=!])?(?:\?:|\?<\w+>)?/);
    if (group) {
      const inner = choice();
      if (!take(/\)/)) throw new Error(`cannot read the group at ${at} in /${source}/`);
      if (!group[1]) return inner;
      conditional = true;
      return { kind: "choice", items: [nothing, inner] };
    }
    if (take(/\^/)) return { kind: "symbol", reads: flags.includes("m") ? begin | symbolsOf("\\n", flags) : begin };
    if (take(/\$/)) return { kind: "symbol", reads: end };
    if (take(/\\[bB]/)) {
      conditional = true;
      return nothing;
    }
    if (take(/\\(?:[1-9]|k<)/)) throw new Error(`/${source}/ refers back to a group, which needs backtracking`);
    const character = take(
      /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[0-9a-f]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Z]|[pP]\{\w+\}|[\s\S])|[\s\S]/,
    );
    return { kind: "symbol", reads: symbolsOf(character?.[0] ?? "", flags) };
  };
  const node = choice();
  if (at < source.length) throw new Error(`cannot read /${source}/ from ${at}`);
  return { node, conditional };
}

function symbolsOf(character: string, flags: string): Symbols {
  const reads = new RegExp(`^(?:${character})$`, flags.replace(/[gmy]/g, ""));
  return alphabet.slice(0, -2).reduce((symbols, text, index) => (reads.test(text) ? symbols | (1n << BigInt(index)) : symbols), 0n);
}
