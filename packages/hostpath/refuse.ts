import { Code, type CodeName, GrpcError } from "@csi-sidecars/csi";

/** Fails a call with a gRPC status. */
export function refuse(code: CodeName, message: string): never {
  throw new GrpcError(Code[code], message);
}

/** Refuses a request in which a required field is empty. */
export function requireFields(fields: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || value === "") refuse("InvalidArgument", `${field} missing in request`);
  }
}
