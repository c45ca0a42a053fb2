import { type Logger, messageOf, parseExactJson, stringifyExactJson } from "@csi-sidecars/base";
import type { Answer } from "@csi-sidecars/host";
import { badRequest, quoted, type WebhookRequest } from "../review/answer.ts";
import { decodeReview, type Review, stringIn, unsupportedKind } from "../review/decode-review.ts";
import { answerType, bodyType } from "../review/media-types.ts";
import { parseYaml } from "../review/parse-yaml.ts";
import { isObject, typeName, type Unstructured } from "../review/unstructured.ts";
import { convertObject } from "./convert-object.ts";

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly unknown[];
}

const apiVersion = "apiextensions.k8s.io/v1";
const kind = "ConversionReview";

/** Answers a ConversionReview. An object that cannot be converted fails the whole review, with the reason in it. */
export async function answerConversion({ contentType, accept, body }: WebhookRequest, log: Logger): Promise<Answer> {
  const from = bodyType(contentType);
  if (!from) return badRequest(`invalid Content-Type header \`${contentType}\``);
  let review: Review;
  let request: ConversionRequest | undefined;
  try {
    review = decodeReview(from === "application/yaml" ? await parseYaml(body) : parseExactJson(body));
    request = review.request && conversionRequest(review.request);
  } catch (error) {
    return badRequest(`failed to deserialize body (${quoted(body)}) with error ${quoted(messageOf(error))}`);
  }
  if (review.apiVersion !== apiVersion || review.kind !== kind) return badRequest(unsupportedKind(review));
  if (!request) return badRequest("the ConversionReview has no request");
  const to = answerType(accept);
  if (!to) return badRequest(`invalid accept header \`${accept}\``);
  return { status: 200, body: convertAll(request, log), contentType: to };
}

function conversionRequest(request: Unstructured): ConversionRequest {
  const { objects } = request;
  if (objects !== undefined && objects !== null && !Array.isArray(objects)) {
    throw new Error(`objects: expected an array, found ${typeName(objects)}`);
  }
  return { uid: stringIn(request, "uid"), desiredAPIVersion: stringIn(request, "desiredAPIVersion"), objects: objects ?? [] };
}

/** The review that answers a request, as JSON. The first object that cannot be converted, or written, fails all. */
function convertAll({ uid, objects, desiredAPIVersion }: ConversionRequest, log: Logger): string {
  try {
    const convertedObjects = objects.map((object) => convertObject(checked(object), desiredAPIVersion));
    return reviewWith({ uid, convertedObjects, result: { status: "Success" } });
  } catch (error) {
    const message = messageOf(error);
    log.error(undefined, "Failed to convert objects", { reason: message, uid });
    return reviewWith({ uid, convertedObjects: null, result: { status: "Failure", message } });
  }
}

function checked(object: unknown): Unstructured & { readonly kind: string } {
  if (isObject(object) && typeof object.kind === "string" && object.kind !== "") return { ...object, kind: object.kind };
  const raw = quoted(stringifyExactJson(object));
  const problem = isObject(object) ? `Object 'Kind' is missing in '${raw}'` : `expected an object, found ${typeName(object)}`;
  throw new Error(`failed to unmarshall object (${raw}) with error: ${problem}`);
}

/** Its request is emptied, not absent. */
function reviewWith(response: Unstructured): string {
  return stringifyExactJson({ apiVersion, kind, request: { uid: "", desiredAPIVersion: "", objects: null }, response });
}
