/** Whether the work was not done because this process must not act any more: nothing to tell users, whoever leads next does it. */
export function isRefusedWork(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || isRefusedWork(error.cause));
}
