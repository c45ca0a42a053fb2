import { describe, expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { answerConversion } from "./answer-conversion.ts";

const group = "groupsnapshot.storage.k8s.io";
const object = (name: string, more: object = {}) => ({
  apiVersion: `${group}/v1beta2`,
  kind: "VolumeGroupSnapshotContent",
  metadata: { name },
  ...more,
});
const review = (objects: unknown, more: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid: "u-1", desiredAPIVersion: `${group}/v1`, objects },
  ...more,
});
const ask = (body: string, headers: { contentType?: string; accept?: string } = {}) =>
  answerConversion({ contentType: "application/json", accept: "", ...headers, body }, silentLogger);
const askAbout = async (what: object) => {
  const { status, body } = await ask(JSON.stringify(what));
  return { status, review: status === 200 ? JSON.parse(body) : body };
};

test("the converted objects have the order of the request, whose content is emptied", async () => {
  expect(await askAbout(review([object("b"), object("a")]))).toEqual({
    status: 200,
    review: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      request: { uid: "", desiredAPIVersion: "", objects: null },
      response: {
        uid: "u-1",
        convertedObjects: ["b", "a"].map((name) => ({ ...object(name), apiVersion: `${group}/v1` })),
        result: { status: "Success" },
      },
    },
  });
});

test.each([
  ["one that cannot be converted", object("b", { kind: "Pod" }), 'unexpected conversion kind "Pod"'],
  ["one that is none", 7, "failed to unmarshall object (7) with error: expected an object, found number"],
  ["one without a kind", {}, "failed to unmarshall object ({}) with error: Object 'Kind' is missing in '{}'"],
])("of several objects %s fails the whole review", async (_what, bad, message) => {
  const { status, review: answer } = await askAbout(review([object("a"), bad, object("c")]));
  expect(status).toBe(200);
  expect(answer.response).toEqual({ uid: "u-1", convertedObjects: null, result: { status: "Failure", message } });
});

test.each([[undefined], [null], [[]]])("no objects, written as %p, are converted to none", async (objects) => {
  expect((await askAbout(review(objects))).review.response).toEqual({ uid: "u-1", convertedObjects: [], result: { status: "Success" } });
});

describe("a bad request", () => {
  const good = JSON.stringify(review([]));
  test.each<[what: string, body: string, contentType: string, message: string]>([
    ["no Content-Type", good, "", "invalid Content-Type header ``"],
    ["another Content-Type", good, "text/json", "invalid Content-Type header `text/json`"],
    ["no JSON", "{]", "application/json", "failed to deserialize body ({]) with error "],
    ["an empty body", "", "application/json", "failed to deserialize body () with error "],
    ["a list", "[]", "application/json", "failed to deserialize body ([]) with error expected an object, found array"],
    ["no kind", "{}", "application/json", "failed to deserialize body ({}) with error Object 'Kind' is missing"],
    ["bad YAML", "a: b: c", "application/yaml", "failed to deserialize body (a: b: c) with error "],
    ["too much YAML", "a: b\n".repeat(20_000), "application/yaml", "failed to deserialize body (a: b\n"],
    [
      "an old version",
      JSON.stringify(review([], { apiVersion: "apiextensions.k8s.io/v1beta1" })),
      "application/json",
      "Unsupported group version kind: apiextensions.k8s.io/v1beta1, Kind=ConversionReview",
    ],
    ["another kind", '{"apiVersion":"v1","kind":"Pod"}', "application/json", "Unsupported group version kind: /v1, Kind=Pod"],
    ["no request", JSON.stringify(review([], { request: undefined })), "application/json", "the ConversionReview has no request"],
    ["objects that are none", JSON.stringify(review("x")), "application/json", "failed to deserialize body ("],
    ["a uid that is none", JSON.stringify(review([], { request: { uid: 1 } })), "application/json", "failed to deserialize body ("],
  ])("%s", async (_what, body, contentType, message) => {
    const answer = await ask(body, { contentType });
    expect(answer.status).toBe(400);
    expect(answer.body).toStartWith(message);
    expect(answer.body).toEndWith("\n");
  });

  test("nothing fits the Accept header", async () => {
    expect(await ask(good, { accept: "text/html" })).toEqual({ status: 400, body: "invalid accept header `text/html`\n" });
  });

  test("a long body is not repeated in full", async () => {
    const { body } = await ask(`${"x".repeat(10_000)}`);
    expect(body.length).toBeLessThan(4_200);
    expect(body).toContain("... (10000 characters)");
  });

  test("an object nested too deeply fails its review", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const body = JSON.stringify(review([object("a", { spec: 1 })])).replace('"spec":1', `"spec":${deep}`);
    const answer = await ask(body);
    expect([answer.status, JSON.parse(answer.body).response.result.status]).toEqual([200, "Failure"]);
  });
});

test.each([
  ["", "application/json"],
  ["application/json", "application/json"],
  ["*/*", "application/json"],
  ["application/*", "application/json"],
  ["application/yaml", "application/yaml"],
  ["text/html, application/json;q=0.5, application/yaml;q=0.9", "application/yaml"],
])("Accept %p is answered with %s", async (accept, contentType) => {
  const answer = await ask(JSON.stringify(review([])), { accept });
  expect([answer.status, answer.contentType]).toEqual([200, contentType]);
});

test.each(["application/json; charset=utf-8", "application/yaml"])("a body of type %s is read with exact integers", async (contentType) => {
  const body = JSON.stringify(review([object("a", { status: { creationTime: "N" } })])).replace('"N"', "1700000000123456789");
  expect((await ask(body, { contentType })).body).toContain('"creationTime":1700000000123456789');
});
