import { StatusError } from "@csi-sidecars/kube";
import { invalidValue } from "./field-error.ts";
import { invalidKind } from "./status.ts";

/** Decodes the outcome of a patch. What cannot be decoded is the patch's fault: a 422 that shows it, instead of a 400. */
export function decodedOutcome<T>(shown: () => string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    const why = error.message.replace(/^.* cannot be handled as a \S+: /, "");
    throw invalidKind("", "", "", [invalidValue("patch", shown(), why)]);
  }
}
