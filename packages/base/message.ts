/**
 * A message for users that tools recognise in an event or a status. Writer and reader share it, so that rewording it cannot make
 * the reader miss it.
 *
 *     const notReady = message((name: string) => `snapshot ${name} is not Ready`);
 *     notReady("daily");                                       // what is written
 *     notReady.isIn("failed: snapshot daily is not Ready");    // true
 */
export interface Message<Parts extends readonly MessagePart[] = readonly MessagePart[]> {
  (...parts: Parts): string;
  /** Whether a text has the message in it, whatever its parts were, and also where it is quoted (`goQuote`). */
  isIn(text: string): boolean;
  /** The parts of the first such message in a text, in the order in which it has them; a part at its end goes to the end of the text. */
  partsIn(text: string): readonly string[] | undefined;
}

/** What changes from one message of a kind to the next. */
export type MessagePart = string | number | bigint | undefined;

/** Stands for a part. It is printable: `goQuote` leaves it as it is. */
const hole = "\u2370";

/** Declares a message. `write` must put all its parts into the text as they are, without optional ones. */
export function message<Parts extends readonly MessagePart[]>(write: (...parts: Parts) => string): Message<Parts> {
  let literals: readonly string[] | undefined;
  const partsIn = (text: string) => {
    literals ??= withoutEscapes(write(...(Array(write.length).fill(hole) as unknown as Parts))).split(hole);
    return between(literals, withoutEscapes(text));
  };
  return Object.assign((...parts: Parts) => write(...parts), { partsIn, isIn: (text: string) => partsIn(text) !== undefined });
}

/** Each quotation escapes what is quoted once more. */
const withoutEscapes = (text: string): string => text.replaceAll("\\", "");

/** What a text has between the literals, if it has all of them, one after the other. */
function between([first = "", ...others]: readonly string[], text: string): readonly string[] | undefined {
  const start = text.indexOf(first);
  if (start < 0) return undefined;
  const parts: string[] = [];
  let from = start + first.length;
  for (const [index, literal] of others.entries()) {
    const isLast = index === others.length - 1;
    const at = isLast && literal === "" ? text.length : text.indexOf(literal, from);
    if (at < 0) return undefined;
    parts.push(text.slice(from, at));
    from = at + literal.length;
  }
  return parts;
}
