/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What an error says, and then what caused it. */
export function messageWithCause(error: unknown): string {
  const message = messageOf(error);
  return error instanceof Error && error.cause instanceof Error ? `${message}: ${error.cause.message}` : message;
}
