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
}

/** What changes from one message of a kind to the next. */
export type MessagePart = string | number | bigint | undefined;

/** Stands for a part. It is printable: `goQuote` leaves it as it is. */
const hole = "\u2370";

/** Declares a message. `write` must put all its parts into the text as they are, without optional ones. */
export function message<Parts extends readonly MessagePart[]>(write: (...parts: Parts) => string): Message<Parts> {
  let literals: readonly string[] | undefined;
  const isIn = (text: string) => {
    literals ??= withoutEscapes(write(...(Array(write.length).fill(hole) as unknown as Parts))).split(hole);
    return inOrder(literals, withoutEscapes(text));
  };
  return Object.assign((...parts: Parts) => write(...parts), { isIn });
}

/** Each quotation escapes what is quoted once more. */
const withoutEscapes = (text: string): string => text.replaceAll("\\", "");

/** Whether a text has all the literals, one after the other. */
function inOrder(literals: readonly string[], text: string): boolean {
  let from = 0;
  return literals.every((literal) => {
    const at = text.indexOf(literal, from);
    from = at + literal.length;
    return at >= 0;
  });
}
