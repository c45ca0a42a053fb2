import { descriptors as protocol } from "../gen/descriptors.ts";
import { asObject, type Descriptors } from "./descriptors.ts";
import { goString, renderMessage } from "./render.ts";

/** Names the type of a message: a generated codec (`CreateVolumeRequest`), or its full name (`csi.v1.CreateVolumeRequest`). */
export type MessageType = { readonly $type: string } | string;

/** What can be logged without a type, because it is no message. */
export type Scalar = string | number | bigint | boolean | null | undefined;

/**
 * A message for a log. Nothing is computed before it is converted to a string, so that it costs nothing where the line is not
 * written. Looking at it in any other way (`console.log`, `JSON.stringify`, a debugger's dump) shows nothing of the message.
 */
export class Sanitized {
  readonly #render: () => string;

  constructor(render: () => string) {
    this.#render = render;
  }

  toString(): string {
    return this.#render();
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
  return new Sanitized(() => {
    try {
      return renderAny(value, typeName, descriptors);
    } catch (error) {
      return `<<json.Marshal ${typeName ?? typeof value}: ${error instanceof Error ? error.message : "failed"}>>`;
    }
  });
}

/** The full name of a message type. */
export const nameOf = (type: MessageType | undefined): string | undefined => (typeof type === "object" ? type.$type : type);

function renderAny(value: unknown, typeName: string | undefined, descriptors: Descriptors): string {
  if (value === null || value === undefined) return "null";
  if (typeName !== undefined) return renderMessage(asObject(value), typeName, descriptors);
  switch (typeof value) {
    case "string":
      return goString(value);
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      throw new TypeError("a message needs its type");
  }
}
