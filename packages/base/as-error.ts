/** Whatever was thrown, as an `Error`: JavaScript lets anything be thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
