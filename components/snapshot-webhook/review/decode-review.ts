import { ownValue } from "@csi-sidecars/base";
import { isObject, typeName, type Unstructured } from "./unstructured.ts";

/** A review, as the API server sends it to webhooks. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent where the review has none, or something else in its place. */
  readonly request: Unstructured | undefined;
}

/** Reads what a body was parsed to. Throws, in apimachinery's words, where it is no object of any kind. */
export function decodeReview(parsed: unknown): Review {
  if (!isObject(parsed)) throw new Error(`expected an object, found ${typeName(parsed)}`);
  const { apiVersion, kind, request } = parsed;
  if (typeof kind !== "string" || kind === "") throw new Error("Object 'Kind' is missing");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new Error("Object 'apiVersion' is missing");
  return { apiVersion, kind, request: isObject(request) ? request : undefined };
}

/** A string of a request; empty where there is none, as Go has it. Throws at anything else. */
export function stringIn(object: Unstructured, field: string): string {
  const value = ownValue(object, field);
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new Error(`${field}: expected a string, found ${typeName(value)}`);
  return value;
}

/** As apimachinery prints a kind: `apiextensions.k8s.io/v1beta1, Kind=ConversionReview`. */
export function unsupportedKind({ apiVersion, kind }: Review): string {
  return `Unsupported group version kind: ${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
