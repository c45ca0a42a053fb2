/** The gRPC status codes by the names Go gives them. */
export const Code = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

/** The name of a code that gRPC defines. */
export type CodeName = keyof typeof Code;

const names = Object.keys(Code);

/** The name users and metrics know a code by; a number that gRPC does not define reads `Code(N)`. */
export function codeName(code: number): string {
  return names[code] ?? `Code(${code})`;
}
