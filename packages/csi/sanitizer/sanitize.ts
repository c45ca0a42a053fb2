import { descriptors as protocol } from "../gen/descriptors.ts";
import { asObject, type Descriptors } from "./descriptors.ts";
import { BoundedText, renderMessage } from "./render.ts";

/** Names the type of a message: a generated codec (`CreateVolumeRequest`), or its full name (`csi.v1.CreateVolumeRequest`). */
export type MessageType = { readonly $type: string } | string;

/** What can be logged without a type, because it is no message. */
export type Scalar = string | number | bigint | boolean | null | undefined;

/**
 * A message for a log. Nothing is computed before it is converted to a string, so that it costs nothing where the line is not
 * written. Looking at it in any other way (`console.log`, `JSON.stringify`, a debugger's dump) shows nothing of the message.
 */
export class Sanitized {
  readonly #render: (maxLength: number) => string;

  constructor(render: (maxLength: number) => string) {
    this.#render = render;
  }

  toString(): string {
    return this.#render(Number.POSITIVE_INFINITY);
  }

  /** The beginning of the text; the rest is not rendered. */
  start(maxLength: number): string {
    return this.#render(maxLength);
  }
}

/**
 * Makes a message loggable: one line of JSON, the same as the Go sidecars write, with `***stripped***` for each secret field.
 *
 *     log.v(5).info("GRPC request", { request: sanitize(request, CreateVolumeRequest) });
 *
 * Only what the protocol marks as secret is stripped. `mount_flags`, `volume_context` and `publish_context` are shown, as
 * upstream shows them, though drivers are known to put tokens there: log messages at verbosity 5 and above only, and never
 * write one into an event or a status.
 */
export function sanitize(message: object | null | undefined, type: MessageType, descriptors?: Descriptors): Sanitized;
export function sanitize(value: Scalar): Sanitized;
export function sanitize(value: object | Scalar, type?: MessageType, descriptors: Descriptors = protocol): Sanitized {
  const typeName = nameOf(type);
  return new Sanitized((maxLength) => {
    const text = new BoundedText(maxLength);
    try {
      renderAny(value, typeName, descriptors, text);
      return text.toString();
    } catch (error) {
      return `<<json.Marshal ${typeName ?? typeof value}: ${error instanceof Error ? error.message : "failed"}>>`;
    }
  });
}

/** The full name of a message type. */
export const nameOf = (type: MessageType | undefined): string | undefined => (typeof type === "object" ? type.$type : type);

function renderAny(value: unknown, typeName: string | undefined, descriptors: Descriptors, to: BoundedText): void {
  if (value === null || value === undefined) to.add("null");
  else if (typeName !== undefined) renderMessage(asObject(value), typeName, descriptors, to);
  else if (typeof value === "string") to.addString(value);
  else if (typeof value === "object") throw new TypeError("a message needs its type");
  else to.add(String(value));
}
