import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import { isObject, type JsonObject, stringAt } from "../../rules/json.ts";
import { badRequest, unsupportedMediaType } from "../../rules/status.ts";
import type { HttpRequest } from "../http/request-reader.ts";

/** The content type without its parameters. */
export const contentTypeOf = (request: HttpRequest): string => (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim() ?? "";

/** What counts as JSON; without a word on it, a body is. */
const jsonTypes = ["", "application/json", "*/*"];

/** The object in the body of a POST or PUT, which must be of the kind that the path names, or not say its kind. */
export function readObject(request: HttpRequest, kind: Kind): JsonObject {
  const body = readJson(request, kind.kind);
  checkTypes(kind, stringAt(body, "kind") || kind.kind, stringAt(body, "apiVersion") || apiVersionOfKind(kind));
  return body;
}

/** Any JSON object; an empty body counts as an empty object only where `optional`. */
export function readJson(request: HttpRequest, expected: string, optional = false): JsonObject {
  if (optional && request.body === "") return {};
  if (!jsonTypes.includes(contentTypeOf(request))) throw unsupportedMediaType();
  const body = parse(request.body, (why) =>
    badRequest(
      `the object provided is unrecognized (must be of type ${expected}): couldn't get version/kind; json parse error: ${why} (${excerpt(request.body)})`,
    ),
  );
  if (!isObject(body))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected}): couldn't get version/kind; json parse error: json: cannot unmarshal into Go value (${excerpt(request.body)})`,
    );
  return body;
}

/** The body of a PATCH: an object or a list of operations. */
export const readPatch = (request: HttpRequest): unknown => parse(request.body, (why) => badRequest(`error decoding patch: ${why}`));

function parse(text: string, failure: (why: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failure("invalid JSON input");
  }
}

function checkTypes(kind: Kind, givenKind: string, givenVersion: string): void {
  const version = apiVersionOfKind(kind);
  if (givenKind === kind.kind && givenVersion === version) return;
  if (kind.custom) {
    throw badRequest(
      givenVersion === version
        ? `the kind in the data (${givenKind}) does not match the expected kind (${kind.kind})`
        : `the API version in the data (${givenVersion}) does not match the expected API version (${version})`,
    );
  }
  throw badRequest(
    `${givenKind} in version ${JSON.stringify(givenVersion)} cannot be handled as a ${kind.kind}: it is of another kind or version`,
  );
}

const excerpt = (text: string) => (text.length > 64 ? `${text.slice(0, 64)} ...` : text);
