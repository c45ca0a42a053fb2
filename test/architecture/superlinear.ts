import { type Automaton, alphabet, automatonOf, type Symbols } from "./regex-automaton.ts";

/**
 * Why a regular expression may take more than linear time, or `undefined`.
 *
 * A backtracking engine is slow where one text can be split between two repeated parts of the pattern in many ways and the rest
 * does not match, so that it tries them all: two positions `p` and `q`, and a text that leads from `p` to `p`, from `p` to `q` and
 * from `q` to `q`. The search for the start of a match is such a repeated part too, which is why `/\/+$/` is quadratic and
 * `/^\/+$/` is not. Where the match may end at `q`, nothing can fail, and nothing is tried again.
 */
export function superlinear(source: string, flags = ""): string | undefined {
  const automaton = automatonOf(source, flags);
  const reachable = automaton.follow.map((_, position) => reachableFrom(automaton, position));
  const repeated = automaton.reads.map((_, position) => position).filter((position) => reachable[position]?.has(position));
  const twice = automaton.ambiguous.find(([from, to]) => reachable[to]?.has(from));
  if (twice) return "a repeated part is repeated again";
  for (const p of repeated) {
    for (const q of repeated) {
      if (p === q || automaton.final.has(q) || !reachable[p]?.has(q)) continue;
      const text = splitText(automaton, p, q);
      if (text !== undefined) return `slow on many ${JSON.stringify(text)}`;
    }
  }
  return undefined;
}

function reachableFrom({ follow }: Automaton, start: number): ReadonlySet<number> {
  const seen = new Set<number>();
  const todo = [start];
  for (let position = todo.pop(); position !== undefined; position = todo.pop()) {
    for (const next of follow[position] ?? []) {
      if (!seen.has(next)) todo.push(next);
      seen.add(next);
    }
  }
  return seen;
}

/** A shortest text that leads from `p` to `p`, from `p` to `q`, and from `q` to `q`. */
function splitText({ reads, follow }: Automaton, p: number, q: number): string | undefined {
  const seen = new Set<string>();
  let reached: { readonly at: readonly [number, number, number]; readonly text: string }[] = [{ at: [p, p, q], text: "" }];
  while (reached.length > 0) {
    const next: typeof reached = [];
    for (const { at, text } of reached) {
      for (const a of follow[at[0]] ?? []) {
        for (const b of follow[at[1]] ?? []) {
          for (const c of follow[at[2]] ?? []) {
            const common = (reads[a] ?? 0n) & (reads[b] ?? 0n) & (reads[c] ?? 0n);
            if (common === 0n) continue;
            const read = text + example(common);
            if (a === p && b === q && c === q) return read;
            const key = `${a},${b},${c}`;
            if (!seen.has(key)) next.push({ at: [a, b, c], text: read });
            seen.add(key);
          }
        }
      }
    }
    reached = next;
  }
  return undefined;
}

/** One of the symbols, a readable one if there is. */
function example(symbols: Symbols): string {
  const members = alphabet.filter((_, index) => (symbols >> BigInt(index)) & 1n);
  return members.find((text) => /^[a-z0-9]$/.test(text)) ?? members.find((text) => /^[!-~]$/.test(text)) ?? members[0] ?? "";
}
