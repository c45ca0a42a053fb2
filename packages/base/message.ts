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
  /** Whether a text has the message in it, whatever its parts were. */
  isIn(text: string): boolean;
}

/** What changes from one message of a kind to the next. */
export type MessagePart = string | number | bigint | undefined;

const hole = "\0";

/** Declares a message. `write` must put all its parts into the text as they are, without optional ones. */
export function message<Parts extends readonly MessagePart[]>(write: (...parts: Parts) => string): Message<Parts> {
  let pattern: RegExp | undefined;
  const isIn = (text: string) => {
    pattern ??= patternOf(write(...(Array(write.length).fill(hole) as unknown as Parts)));
    return pattern.test(text);
  };
  return Object.assign((...parts: Parts) => write(...parts), { isIn });
}

function patternOf(text: string): RegExp {
  const literals = text.split(hole).map((literal) => literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(literals.join(".*"), "s");
}
