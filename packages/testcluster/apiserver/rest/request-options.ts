import { type FieldError, forbiddenField, notSupported } from "../../rules/field-error.ts";
import { arrayAt, type JsonObject, stringAt } from "../../rules/json.ts";
import { badRequest, invalidKind, plainError } from "../../rules/status.ts";
import type { DeleteOptions } from "../objects/delete-object.ts";
import { isTrue } from "./request-info.ts";

/** The validated query of a list or watch. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly limit: number;
  readonly continue: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

export function listOptions(query: URLSearchParams, watch: boolean, watchList = true): ListOptions {
  const text = (name: string) => query.get(name) ?? "";
  const match = text("resourceVersionMatch");
  const sendInitialEvents = query.has("sendInitialEvents") ? isTrue(query.get("sendInitialEvents")) : undefined;
  const errors = watch
    ? watchErrors(match, sendInitialEvents, watchList)
    : listErrors(match, text("resourceVersion"), text("continue"), sendInitialEvents);
  if (errors.length > 0) throw invalidKind("meta.k8s.io", "ListOptions", "", errors);
  return {
    labelSelector: text("labelSelector"),
    fieldSelector: text("fieldSelector"),
    resourceVersion: text("resourceVersion"),
    resourceVersionMatch: match === "Exact" || match === "NotOlderThan" ? match : "",
    limit: whole(text("limit")) ?? 0,
    continue: text("continue"),
    watch,
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents,
    timeoutSeconds: whole(text("timeoutSeconds")),
  };
}

function watchErrors(match: string, sendInitialEvents: boolean | undefined, watchList: boolean): readonly FieldError[] {
  const field = "resourceVersionMatch";
  if (sendInitialEvents !== undefined && !watchList) {
    return [forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")];
  }
  if (sendInitialEvents === undefined) {
    return match === "" ? [] : [forbiddenField(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")];
  }
  if (match === "NotOlderThan") return [];
  const missing = forbiddenField(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  return match === "" ? [missing] : [missing, notSupported(field, match, ["NotOlderThan"])];
}

function listErrors(match: string, version: string, token: string, sendInitialEvents: boolean | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (version === "") {
      errors.push(forbiddenField("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (token !== "") errors.push(forbiddenField("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && version === "0") {
      errors.push(forbiddenField("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

/** An integer parameter; absent and empty are `undefined`. */
function whole(text: string): number | undefined {
  if (text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

const syntaxError = (text: string) => `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;

/** A version in a list; empty is 0, "any". */
export function readVersion(text: string): number {
  if (!/^\d*$/.test(text)) {
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${syntaxError(text)}`);
  }
  return Number(text);
}

/** A version in a get or a watch. */
export function plainVersion(text: string): number {
  if (!/^\d*$/.test(text)) throw plainError(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${syntaxError(text)}`);
  return Number(text);
}

/** A version in an object that is written: the precondition of the write. */
export function writtenVersion(text: string): number {
  if (!/^\d*$/.test(text)) throw plainError(syntaxError(text));
  return Number(text);
}

/** The kind of the options that a write comes with. */
export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/** `dryRun=All` is the only valid value. */
export function isDryRun(query: URLSearchParams, optionsKind: OptionsKind): boolean {
  const given = query.getAll("dryRun").filter((value) => value !== "");
  if (given.length === 0) return false;
  if (given.every((value) => value === "All")) return true;
  throw invalidKind("meta.k8s.io", optionsKind, "", [
    { reason: "FieldValueNotSupported", field: "dryRun", message: `Unsupported value: ${JSON.stringify(given)}: supported values: "All"` },
  ]);
}

const propagationPolicies = ["Foreground", "Background", "Orphan"] as const;

const isPropagationPolicy = (text: string): text is (typeof propagationPolicies)[number] =>
  propagationPolicies.some((known) => known === text);

/** The options of a delete come in its body; the grace period may also be in the query. */
export function deleteOptions(body: JsonObject, query: URLSearchParams): DeleteOptions {
  const policy = stringAt(body, "propagationPolicy") || query.get("propagationPolicy") || undefined;
  if (policy !== undefined && !isPropagationPolicy(policy)) {
    throw invalidKind("meta.k8s.io", "DeleteOptions", "", [notSupported("propagationPolicy", policy, [...propagationPolicies, "nil"])]);
  }
  const grace = body.gracePeriodSeconds ?? query.get("gracePeriodSeconds") ?? undefined;
  return {
    uid: stringAt(body, "preconditions", "uid") || undefined,
    resourceVersion: stringAt(body, "preconditions", "resourceVersion") || undefined,
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    propagationPolicy: policy,
  };
}

/** A delete may also ask for a dry run in its body. */
export const isDryRunDelete = (body: JsonObject, query: URLSearchParams): boolean =>
  isDryRun(query, "DeleteOptions") || arrayAt(body, "dryRun").includes("All");
