import { describe, expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { answerAdmission } from "./answer-admission.ts";
import { groupSnapshotClasses, snapshotClasses } from "./class-kinds.ts";
import type { ClassFacts } from "./decide-class.ts";

const stored = (name: string, driver: string, isDefault = true): ClassFacts => ({ name, driver, isDefault });

describe.each([
  ["VolumeSnapshotClass", snapshotClasses, "v1", "default snapshot class"],
  ["VolumeGroupSnapshotClass", groupSnapshotClasses, "v1", "default group snapshot class"],
  ["VolumeGroupSnapshotClass of v1beta2", groupSnapshotClasses, "v1beta2", "default group snapshot class"],
  ["VolumeGroupSnapshotClass of v1beta1", groupSnapshotClasses, "v1beta1", "default group snapshot class"],
] as const)("a %s", (_kind, kind, version, noun) => {
  const { group, resource, defaultAnnotation } = kind;
  const object = (driver: unknown, marker?: string) => ({
    metadata: { name: "new", ...(marker !== undefined && { annotations: { [defaultAnnotation]: marker } }) },
    driver,
  });
  const request = (more: object) => ({ uid: "u-1", operation: "CREATE", resource: { group, version, resource }, ...more });
  const ask = (asked: object, classes: readonly ClassFacts[] = [], apiVersion = "admission.k8s.io/v1") => {
    const body = JSON.stringify({ apiVersion, kind: "AdmissionReview", request: asked });
    const answer = answerAdmission(kind, { contentType: "application/json", accept: "", body }, () => classes, silentLogger);
    expect(answer).toMatchObject({ status: 200, contentType: "application/json" });
    const review = JSON.parse(answer.body);
    expect(review).toMatchObject({ apiVersion, kind: "AdmissionReview", response: { uid: "u-1" } });
    return review.response;
  };
  const allowed = { uid: "u-1", allowed: true, status: {} };
  const denied = (message: string) => ({ uid: "u-1", allowed: false, status: { message } });
  const exists = (name: string, driver: string) => denied(`${noun}: ${name} already exists for driver: ${driver}`);

  test.each([
    ["that is the first default", object("a", "true"), [], allowed],
    ["beside the default of another driver", object("a", "true"), [stored("old", "b")], allowed],
    ["beside a default of its driver", object("a", "true"), [stored("old", "a")], exists("old", "a")],
    ["beside a class that is no default", object("a", "true"), [stored("old", "a", false)], allowed],
    ["that is no default", object("a"), [stored("old", "a")], allowed],
    ["whose marker says no", object("a", "false"), [stored("old", "a")], allowed],
    ["beside two defaults: the first is named", object("a", "true"), [stored("z", "a"), stored("b", "a")], exists("b", "a")],
  ] as const)("%s", (_what, created, classes, expected) => {
    expect(ask(request({ object: created }), classes)).toEqual(expected);
  });

  test.each([
    ["an update of a default", object("a", "true"), object("a", "true"), [stored("new", "a"), stored("old", "a")], allowed],
    ["one that becomes the default", object("a", "true"), object("a"), [stored("old", "a"), stored("new", "a", false)], exists("old", "a")],
    [
      "a default that moves to a driver that has one",
      object("b", "true"),
      object("a", "true"),
      [stored("new", "a"), stored("old", "b")],
      exists("old", "b"),
    ],
    ["a default that moves to a driver without", object("b", "true"), object("a", "true"), [stored("new", "a")], allowed],
    ["one that is no default any more", object("a", "false"), object("a", "true"), [stored("new", "a"), stored("old", "a")], allowed],
  ] as const)("%s", (_what, after, before, classes, expected) => {
    expect(ask(request({ operation: "UPDATE", object: after, oldObject: before }), classes)).toEqual(expected);
  });

  test("a review of v1beta1 is answered in v1beta1", () => {
    expect(ask(request({ object: object("a", "true") }), [stored("old", "a")], "admission.k8s.io/v1beta1")).toEqual(exists("old", "a"));
  });

  test.each(["DELETE", "CONNECT", undefined])("operation %s is allowed", (operation) => {
    expect(ask(request({ operation, object: object("a", "true") }), [stored("old", "a")])).toEqual(allowed);
  });

  test("another resource is denied", () => {
    const resources = { group: "apps", version: "v1", resource: "deployments" };
    expect(ask(request({ resource: resources, object: object("a", "true") }))).toEqual(
      denied(`expect resource to be {${group} v1 ${resource}}, but found {apps v1 deployments}`),
    );
  });

  test.each([
    ["an object that is none", "text", "expected an object, found string"],
    ["no object", undefined, "expected an object, found undefined"],
    ["a driver that is no string", object(7, "true"), "driver: expected a string, found number"],
  ])("%s is denied", (_what, bad, message) => {
    expect(ask(request({ object: bad }))).toEqual(denied(message));
  });
});

describe("a bad request", () => {
  const ask = (body: string, contentType = "application/json") =>
    answerAdmission(snapshotClasses, { contentType, accept: "", body }, () => [], silentLogger);
  test.each([
    [
      "another Content-Type",
      "{}",
      "application/json; charset=utf-8",
      "contentType=application/json; charset=utf-8, expect application/json",
    ],
    ["no JSON", "{]", undefined, "Request could not be decoded: "],
    ["no kind", "{}", undefined, "Request could not be decoded: Object 'Kind' is missing"],
    ["another kind", '{"apiVersion":"apps/v1","kind":"Deployment"}', undefined, "Unsupported group version kind: apps/v1, Kind=Deployment"],
    [
      "an unknown version",
      '{"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview"}',
      undefined,
      "Unsupported group version kind: admission.k8s.io/v2, Kind=AdmissionReview",
    ],
    ["no request", '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', undefined, "the AdmissionReview has no request"],
  ])("%s", (_what, body, contentType, message) => {
    const answer = ask(body, contentType);
    expect(answer.status).toBe(400);
    expect(answer.body).toStartWith(message);
  });

  test("while the classes are not known nothing is decided", () => {
    const body = '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u"}}';
    const answer = answerAdmission(snapshotClasses, { contentType: "application/json", accept: "", body }, () => undefined, silentLogger);
    expect(answer.status).toBe(503);
  });
});
