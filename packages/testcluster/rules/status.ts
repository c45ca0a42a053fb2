import { type Status, StatusError } from "@csi-sidecars/kube";
import { type FieldError, quoted } from "./field-error.ts";
import { groupResource, qualifiedKind, type ServedKind } from "./kind.ts";

/** The object does not exist. */
export const notFound = (kind: ServedKind, name: string): StatusError =>
  failure(404, "NotFound", `${groupResource(kind)} ${quoted(name)} not found`, resourceDetails(kind, name));

/** The path names no served kind. */
export const unknownResource = (): StatusError => failure(404, "NotFound", "the server could not find the requested resource", {});

export const alreadyExists = (kind: ServedKind, name: string): StatusError =>
  failure(409, "AlreadyExists", `${groupResource(kind)} ${quoted(name)} already exists`, resourceDetails(kind, name));

/** The write was made on an older version of the object than the stored one. */
export const conflict = (kind: ServedKind, name: string): StatusError =>
  conflictBecause(kind, name, "the object has been modified; please apply your changes to the latest version and try again");

export const conflictBecause = (kind: ServedKind, name: string, because: string): StatusError =>
  failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${groupResource(kind)} ${quoted(name)}: ${because}`,
    resourceDetails(kind, name),
  );

/** A delete's `preconditions` name another object than the stored one. The real server names the kind here, not the resource. */
export function preconditionFailed(
  kind: ServedKind,
  name: string,
  what: "UID" | "ResourceVersion",
  wanted: string,
  found: string,
): StatusError {
  const end = what === "UID" ? "deleted and then recreated" : "modified";
  return failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualifiedKind(kind)} ${quoted(name)}: the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${end}`,
    details(name, kind.group, kind.kind),
  );
}

/** The object breaks a rule of its kind; every broken rule is a cause. */
export function invalid(kind: ServedKind, name: string, errors: readonly FieldError[]): StatusError {
  return invalidKind(kind.group, kind.kind, name, errors);
}

/** {@link invalid} for things that are no stored kind, such as list options. */
export function invalidKind(group: string, kind: string, name: string, errors: readonly FieldError[]): StatusError {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const text = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return failure(422, "Invalid", `${group ? `${kind}.${group}` : kind} ${quoted(name)} is invalid: ${text}`, {
    ...details(name, group, kind),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

/** A JSON patch that cannot be applied: the real server keeps the cause to itself. */
export const patchRejected = (): StatusError =>
  failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

/** The refused action, as the message describes it. */
export interface RefusedAction {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** The user holds no role that allows the action. */
export function forbidden(action: RefusedAction): StatusError {
  const resource = action.subresource ? `${action.resource}/${action.subresource}` : action.resource;
  const scope = action.namespace ? `in the namespace ${quoted(action.namespace)}` : "at the cluster scope";
  const why = `User ${quoted(action.user)} cannot ${action.verb} resource ${quoted(resource)} in API group ${quoted(action.group)} ${scope}`;
  return forbiddenBecause(action.group, action.resource, action.name ?? "", why);
}

export const forbiddenPath = (user: string, verb: string, path: string): StatusError =>
  failure(403, "Forbidden", `forbidden: User ${quoted(user)} cannot ${verb} path ${quoted(path)}`, {});

/** Refused by admission rather than by roles. */
export function forbiddenBecause(group: string, resource: string, name: string, why: string, causes?: Causes): StatusError {
  const subject = (group ? `${resource}.${group}` : resource) + (name ? ` ${quoted(name)}` : "");
  return failure(403, "Forbidden", `${subject} is forbidden: ${why}`, { ...details(name, group, resource), ...(causes && { causes }) });
}

type Causes = NonNullable<NonNullable<Status["details"]>["causes"]>;

/** A body that is JSON but not of the kind's types, on create and PUT. */
export const undecodable = (kind: ServedKind, why: string): StatusError =>
  badRequest(`${kind.kind} in version ${quoted(kind.version)} cannot be handled as a ${kind.kind}: ${why}`);

export const unauthorized = (): StatusError => failure(401, "Unauthorized", "Unauthorized");

export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** A watch from a version that is no longer kept. It arrives as an ERROR event, or as the answer when nothing was sent yet. */
export const tooOldResourceVersion = (asked: string | number, oldest: string | number): StatusError =>
  failure(410, "Expired", `too old resource version: ${asked} (${oldest})`);

/** A list at an exact version that is no longer kept. */
export const listExpired = (): StatusError => failure(410, "Expired", "The resourceVersion for the provided list is too old.");

const continueExpiredText =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter";

/** A page of a list whose version is no longer kept; `fresh` is a token for an inconsistent rest of the list. */
export function continueExpired(fresh?: string): StatusError {
  if (fresh === undefined) return failure(410, "Expired", `${continueExpiredText}.`);
  const message =
    `${continueExpiredText}, or use the continue token in this response to retrieve the remainder of the results. ` +
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
    "between the time the first chunk was returned and now may show up in the list.";
  const status: Status & { metadata: object } = { ...statusOf(410, "Expired", message), metadata: { continue: fresh } };
  return new StatusError(status);
}

/** A patch of a content type that this kind does not take. */
export const unsupportedPatchType = (): StatusError => failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});

/** No form that the client accepts is supported. */
export const notAcceptable = (message: string): StatusError => failure(406, "NotAcceptable", message);

/** A body of a content type that the server does not read. */
export const unsupportedMediaType = (accepted: readonly string[] = ["application/json"]): StatusError =>
  failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

/** The server is too busy for this client; the answer must also carry the `Retry-After` header. */
export const tooManyRequests = (retryAfterSeconds: number): StatusError =>
  failure(429, "TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds });

/** A read at a version that the server has not reached. */
export const tooLargeResourceVersion = (asked: string | number, current: string | number): StatusError =>
  failure(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });

export const methodNotAllowed = (): StatusError =>
  failure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});

export const internal = (message: string): StatusError =>
  failure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });

/** An error of the server's own libraries that reaches the client without a reason, as the real server does for some bad input. */
export const plainError = (message: string): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", status: "Failure", message, code: 500 });

function failure(code: number, reason: string, message: string, detail?: Status["details"]): StatusError {
  return new StatusError(statusOf(code, reason, message, detail));
}

function statusOf(code: number, reason: string, message: string, detail?: Status["details"]): Status {
  return { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, ...(detail && { details: detail }), code };
}

const resourceDetails = (kind: ServedKind, name: string): Status["details"] => details(name, kind.group, kind.plural);

function details(name: string, group: string, kind: string): Status["details"] {
  return { ...(name && { name }), ...(group && { group }), kind };
}
