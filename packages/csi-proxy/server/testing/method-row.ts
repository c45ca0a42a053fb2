import type { ApiGroupName } from "../api-groups.ts";
import type { RecordedCall } from "./recorded-handlers.ts";
import type { Field } from "./wire-fields.ts";

/** A method in some versions of a group, with a value for every field of its messages and what the handler is asked. */
export interface MethodRow {
  readonly group: ApiGroupName;
  readonly versions: readonly string[];
  readonly method: string;
  /** The stem of its messages' names where it is not the method's. */
  readonly messages?: string;
  readonly request: readonly Field[];
  readonly response: readonly Field[];
  readonly asks: RecordedCall;
}

/** More than a double can count to. */
export const huge = 2n ** 53n + 1n;
/** The largest there is. */
export const diskNumber = 4294967295;
export const path = "C:\\var\\lib\\kubelet\\pods\\é";

/** In old versions declared and never sent: a failed call has a status. */
export const error: Field = ["error:1 s", ""];

/** Makes the rows of methods that are alike in some versions of a group. */
export const rowsOf =
  (group: ApiGroupName, versions: string) =>
  (method: string, request: readonly Field[], response: readonly Field[], asks: RecordedCall, messages?: string): MethodRow => ({
    group,
    versions: versions.split(" "),
    method,
    request,
    response,
    asks,
    ...(messages !== undefined && { messages }),
  });
