import { messageOf, parseExactJson } from "@csi-sidecars/base";
import { parse as parseYaml } from "yaml";
import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import { schemaNameOf } from "../../kinds/schemas.ts";
import { invalidValue } from "../../rules/field-error.ts";
import { isObject, type JsonObject, stringAt } from "../../rules/json.ts";
import { badRequest, invalidKind, unsupportedMediaType } from "../../rules/status.ts";
import type { HttpRequest } from "../http/http1.ts";
import { decodeProtobuf, protobufType } from "./protobuf.ts";

/** The content type without its parameters. */
export const contentTypeOf = (request: HttpRequest): string => (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim() ?? "";

/** The text that may name a field twice; protobuf cannot. */
export const jsonTextOf = (request: HttpRequest): string => (contentTypeOf(request) === protobufType ? "{}" : request.body);

/** The content types of JSON; a body without one is JSON. */
const jsonTypes = ["", "application/json", "*/*"];

/** The object in the body of a POST or PUT. Its kind, if given, must be that of the path. */
export function readObject(request: HttpRequest, kind: Kind): JsonObject {
  const body = readJson(request, { kind: kind.kind, schemaName: () => schemaNameOf(kind) });
  checkTypes(kind, body, request.body);
  return body;
}

/** The expected kind of a body. The name of its schema is needed to decode protobuf. */
interface Expected {
  readonly kind: string;
  readonly schemaName: () => string | undefined;
}

export const deleteOptionsBody: Expected = {
  kind: "DeleteOptions",
  schemaName: () => "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
};

export const bindingBody: Expected = { kind: "Binding", schemaName: () => "io.k8s.api.core.v1.Binding" };

/** Any object, in JSON or in protobuf; an empty body counts as an empty object only where `optional`. */
export function readJson(request: HttpRequest, { kind: expected, schemaName }: Expected, optional = false): JsonObject {
  if (optional && request.body === "") return {};
  if (contentTypeOf(request) === protobufType) {
    const decoded = decodeProtobuf(request.bytes, schemaName() ?? "");
    if (!decoded) throw unsupportedMediaType();
    return decoded;
  }
  if (!jsonTypes.includes(contentTypeOf(request))) throw unsupportedMediaType();
  const unreadable = (why: string) => unrecognized(expected, `couldn't get version/kind; json parse error: ${why}`, request.body);
  const body = parse(request.body, unreadable);
  if (!isObject(body)) throw unreadable("json: cannot unmarshal into an object");
  return body;
}

/** The body of a PATCH: an object or a list of operations. */
export const readPatch = (request: HttpRequest): unknown => parse(request.body, (why) => badRequest(`error decoding patch: ${why}`));

/** The content type of a server-side apply. */
export const applyType = "application/apply-patch+yaml";

/** The body of an apply: an object in YAML, and so also in JSON. */
export function readConfiguration(request: HttpRequest): JsonObject {
  let body: unknown;
  try {
    body = request.body.startsWith("{") ? parseExactJson(request.body) : parseYaml(request.body);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${messageOf(error)}`);
  }
  if (!isObject(body)) throw badRequest("error decoding YAML: the body is no object");
  return body;
}

function parse(text: string, failure: (why: string) => Error): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw failure("invalid JSON input");
  }
}

/** Objects of built-in kinds may omit `kind` and `apiVersion`, custom resources must not. */
function checkTypes(kind: Kind, body: JsonObject, text: string): void {
  const version = apiVersionOfKind(kind);
  const givenKind = stringAt(body, "kind");
  const givenVersion = stringAt(body, "apiVersion");
  if (kind.custom) {
    if (givenKind === "") throw unrecognized(kind.kind, `Object 'Kind' is missing in '${text}'`, text);
    if (givenVersion !== version) {
      throw badRequest(`the API version in the data (${givenVersion}) does not match the expected API version (${version})`);
    }
    if (givenKind === kind.kind) return;
    const name = stringAt(body, "metadata", "name");
    throw invalidKind(kind.group, givenKind, name, [invalidValue("kind", givenKind, `must be ${kind.kind}`)]);
  }
  if ((givenKind || kind.kind) === kind.kind && (givenVersion || version) === version) return;
  throw badRequest(
    `${givenKind} in version ${JSON.stringify(givenVersion)} cannot be handled as a ${kind.kind}: it is of another kind or version`,
  );
}

const unrecognized = (expected: string, why: string, text: string) =>
  badRequest(`the object provided is unrecognized (must be of type ${expected}): ${why} (${excerpt(text)})`);

/** The beginning of a body, as long as the real server shows it. */
const excerpt = (text: string) => (text.length > 30 ? `${text.slice(0, 30)} ...` : text);
