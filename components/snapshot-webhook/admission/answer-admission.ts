import { type Logger, messageOf, ownValue } from "@csi-sidecars/base";
import type { Answer } from "@csi-sidecars/host";
import { badRequest, quoted, type WebhookRequest } from "../review/answer.ts";
import { decodeReview, type Review, stringIn, unsupportedKind } from "../review/decode-review.ts";
import { isObject, typeName, type Unstructured } from "../review/unstructured.ts";
import type { ClassKind } from "./class-kinds.ts";
import { type ClassFacts, refusal } from "./decide-class.ts";

/** The classes that are stored; `undefined` while they are not known. */
export type StoredClasses = () => readonly ClassFacts[] | undefined;

const versions: readonly string[] = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"];

/** Answers an AdmissionReview about a class, in the version in which it was asked. */
export function answerAdmission(classKind: ClassKind, { contentType, body }: WebhookRequest, stored: StoredClasses, log: Logger): Answer {
  if (contentType !== "application/json") return badRequest(`contentType=${contentType}, expect application/json`);
  let review: Review;
  let uid: string;
  try {
    review = decodeReview(JSON.parse(body));
    uid = stringIn(review.request ?? {}, "uid");
  } catch (error) {
    return badRequest(`Request could not be decoded: ${quoted(messageOf(error))}`);
  }
  const { apiVersion, kind, request } = review;
  if (!versions.includes(apiVersion) || kind !== "AdmissionReview") return badRequest(unsupportedKind(review));
  if (!request) return badRequest("the AdmissionReview has no request");
  const classes = stored();
  if (!classes) return { status: 503, body: "the classes in the cluster are not known yet\n" };
  const message = problemWith(classKind, request, classes);
  if (message !== undefined) log.info("Refused a class", { kind: classKind.resource, reason: message, uid });
  const response = { uid, allowed: message === undefined, status: message === undefined ? {} : { message } };
  return { status: 200, body: JSON.stringify({ apiVersion, kind, response }), contentType: "application/json" };
}

function problemWith(classKind: ClassKind, request: Unstructured, stored: readonly ClassFacts[]): string | undefined {
  if (request.operation !== "CREATE" && request.operation !== "UPDATE") return undefined;
  try {
    const { group, versions, resource } = classKind;
    const found = resourceOf(request);
    if (found.group !== group || found.resource !== resource || !versions.includes(found.version)) {
      return `expect resource to be ${printed({ group, version: versions[0], resource })}, but found ${printed(found)}`;
    }
    const before = request.oldObject === undefined || request.oldObject === null ? undefined : factsOf(classKind, request.oldObject);
    return refusal(classKind.noun, factsOf(classKind, request.object), before, stored);
  } catch (error) {
    return messageOf(error);
  }
}

interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

function resourceOf({ resource }: Unstructured): GroupVersionResource {
  const fields = isObject(resource) ? resource : {};
  return { group: stringIn(fields, "group"), version: stringIn(fields, "version"), resource: stringIn(fields, "resource") };
}

/** As Go prints the struct. */
const printed = ({ group, version, resource }: GroupVersionResource) => `{${group} ${version} ${resource}}`;

function factsOf({ defaultAnnotation }: ClassKind, object: unknown): ClassFacts {
  if (!isObject(object)) throw new Error(`expected an object, found ${typeName(object)}`);
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  return {
    name: stringIn(metadata, "name"),
    driver: stringIn(object, "driver"),
    isDefault: ownValue(annotations, defaultAnnotation) === "true",
  };
}
