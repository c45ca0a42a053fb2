import { Code, type CodeName, GrpcError } from "@csi-sidecars/csi";

/** Ends a call with a status of the CSI specification. */
export function refuse(code: CodeName, message: string): never {
  throw new GrpcError(Code[code], message);
}

/** Refuses a request in which a required field is empty. */
export function required(fields: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || value === "") refuse("InvalidArgument", `${field} missing in request`);
  }
}
