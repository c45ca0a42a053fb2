import { messageOf } from "@csi-sidecars/base";
import { Code, type CodeName, GrpcError } from "@csi-sidecars/csi";
import { CsiProxyError } from "@csi-sidecars/csi-proxy";

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

/** The status of an error: the library's codes are those of gRPC, and its texts are without secrets. */
export function grpcStatus(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error;
  const code = error instanceof CsiProxyError ? Code[error.code] : Code.Internal;
  return new GrpcError(code, messageOf(error), { cause: error });
}
