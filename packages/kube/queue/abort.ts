/** Whether an error is somebody's decision that work must not go on (leadership is no longer certain), and not a failure of the work. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || isAbort(error.cause));
}
