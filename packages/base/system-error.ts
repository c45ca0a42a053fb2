/** The code of an operating system's error, such as `ENOENT`; `undefined` for errors of any other kind. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
