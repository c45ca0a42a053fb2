/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error, followed by that of its cause. */
export function messageWithCause(error: unknown): string {
  const message = messageOf(error);
  return error instanceof Error && error.cause instanceof Error ? `${message}: ${error.cause.message}` : message;
}

/** Whatever was thrown as an `Error`: JavaScript allows any value to be thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The code of a system error, such as `ENOENT`; `undefined` for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** A value, or the message for the user why there is none. */
export type Result<T> = { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: string };
