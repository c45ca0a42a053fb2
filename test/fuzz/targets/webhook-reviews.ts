import { parseExactJson, silentLogger, stringifyExactJson } from "@csi-sidecars/base";
import { answerAdmission } from "../../../components/snapshot-webhook/admission/answer-admission.ts";
import { groupSnapshotClasses } from "../../../components/snapshot-webhook/admission/class-kinds.ts";
import { answerConversion } from "../../../components/snapshot-webhook/conversion/answer-conversion.ts";
import { convertObject } from "../../../components/snapshot-webhook/conversion/convert-object.ts";
import { trackingAnnotation } from "../../../components/snapshot-webhook/conversion/info-list.ts";
import type { Random } from "../engine/random.ts";
import { expectSame, Finding, type Target } from "../engine/target.ts";

const group = "groupsnapshot.storage.k8s.io";
const versions = [`${group}/v1`, `${group}/v1beta2`, `${group}/v1beta1`] as const;
const kinds = ["VolumeGroupSnapshotContent", "VolumeGroupSnapshot", "VolumeGroupSnapshotClass", "Pod"] as const;

export const webhookReviews: Target = {
  name: "webhook-reviews",
  about: "a body sent to the webhooks: an answer of 200 or 400, and nothing of an object is lost on the way to v1beta1 and back",
  tokens: [
    trackingAnnotation,
    ...versions,
    ...kinds,
    ...['"status":', '"volumeSnapshotInfoList":', '"volumeSnapshotHandlePairList":', '"annotations":', '"metadata":', '"__proto__":'],
    ...["1700000000123456789", "-9223372036854775808", "1e400", "null", "{}", "[]", "[{}]", '"[]"', "\\u2028", "&"],
  ],
  generate: (random) => Buffer.from(stringifyExactJson(random.chance(0.8) ? conversionReview(random) : admissionReview(random))),
  open: () => ({
    async check(input) {
      const body = Buffer.from(input).toString();
      const asked = { contentType: "application/json", accept: "", body };
      const admission = answerAdmission(groupSnapshotClasses, asked, () => [{ name: "a", driver: "d", isDefault: true }], silentLogger);
      const conversion = await answerConversion(asked, silentLogger);
      for (const { status, body: text } of [admission, conversion]) {
        if (status === 200) JSON.parse(text);
        else if (status !== 400) throw new Finding(`status ${status}: ${text}`);
      }
      if (conversion.status === 200)
        checkConversion(parseExactJson(body) as ConversionReview, parseExactJson(conversion.body) as ConversionReview);
    },
  }),
};

interface Content {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> };
  readonly spec?: unknown;
  readonly status?: Readonly<Record<string, unknown>>;
}

interface ConversionReview {
  readonly request: { readonly objects?: readonly Content[]; readonly desiredAPIVersion: string };
  readonly response: { readonly convertedObjects: readonly Content[] | null; readonly result: { readonly status: string } };
}

function checkConversion({ request: { objects } }: ConversionReview, { response }: ConversionReview): void {
  if (response.result.status !== "Success") return;
  const before = objects ?? [];
  const after = response.convertedObjects ?? [];
  expectSame("as many objects", after.length, before.length);
  for (const [index, original] of before.entries()) {
    const converted = after[index];
    if (!converted || !isTracked(original, converted)) continue;
    const back = convertObject({ ...converted }, original.apiVersion) as unknown as Content;
    expectSame("spec", text(back.spec), text(original.spec));
    expectSame("status", text(back.status), text(original.status));
  }
}

/** Went to v1beta1, with nothing in it that only its webhook writes, or that no version has. */
function isTracked({ metadata, status }: Content, { apiVersion }: Content): boolean {
  const annotations = metadata?.annotations ?? {};
  const { volumeSnapshotInfoList: infos, volumeSnapshotHandlePairList: pairs } = status ?? {};
  return (
    apiVersion === `${group}/v1beta1` && !Object.hasOwn(annotations, trackingAnnotation) && Array.isArray(infos) && pairs === undefined
  );
}

/** With members in the order of their names; numbers that JSON cannot hold are null to everyone. */
function text(value: unknown): string {
  return stringifyExactJson(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, unknown] => [name, sorted(member)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function conversionReview(random: Random): object {
  const objects = Array.from({ length: random.below(3) }, () => content(random));
  const request = { uid: "u", desiredAPIVersion: random.pick(versions), objects };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
}

function content(random: Random): object {
  const info = () => ({
    snapshotHandle: "s",
    volumeHandle: "v<w>",
    creationTime: 1_700_000_000_123_456_789n,
    readyToUse: true,
    restoreSize: 5,
  });
  const pair = () => ({ snapshotHandle: "s", volumeHandle: "v" });
  const annotations = random.chance(0.3) ? { [trackingAnnotation]: stringifyExactJson([info()]) } : { a: "b" };
  const list = random.chance(0.5) ? { volumeSnapshotInfoList: [info(), pair()] } : { volumeSnapshotHandlePairList: [pair()] };
  return {
    apiVersion: random.pick(versions),
    kind: random.chance(0.8) ? "VolumeGroupSnapshotContent" : random.pick(kinds),
    metadata: { name: "a", ...(random.chance(0.5) && { annotations }) },
    spec: { driver: "d" },
    ...(random.chance(0.8) && { status: { readyToUse: true, ...list } }),
  };
}

function admissionReview(random: Random): object {
  const marker = { "groupsnapshot.storage.kubernetes.io/is-default-class": "true" };
  const object = { metadata: { name: "b", annotations: marker }, driver: random.pick(["d", "e"]) };
  const resource = { group, version: "v1", resource: "volumegroupsnapshotclasses" };
  const request = { uid: "u", operation: random.pick(["CREATE", "UPDATE", "DELETE"]), resource, object, oldObject: null };
  return { apiVersion: random.pick(["admission.k8s.io/v1", "admission.k8s.io/v1beta1"]), kind: "AdmissionReview", request };
}
