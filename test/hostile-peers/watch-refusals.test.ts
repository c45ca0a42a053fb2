import { describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { until } from "@csi-sidecars/base/testing";
import { PersistentVolume, StatusError } from "@csi-sidecars/kube";
import { streamHeaders, watchedServer } from "./testing/watched-server.ts";

const refusal = { kind: "Status", status: "Failure", reason: "Expired", code: 410, message: "too old resource version" };

/** Asks for a watch; the error it is refused with, while time passes whenever the client waits for it. */
async function refused(script: (response: ServerResponse) => void): Promise<StatusError> {
  await using server = await watchedServer((_, response) => script(response));
  const outcome = server.client.watch(PersistentVolume, { resourceVersion: "1" }).then(
    () => undefined,
    (error: unknown) => error,
  );
  let settled = false;
  void outcome.then(() => {
    settled = true;
  });
  await until("the refusal", async () => {
    if (!settled) await server.clock.advance(1000);
    return settled;
  });
  const error = await outcome;
  expect(server.requests).toHaveLength(1);
  expect(server.clock.waiting).toBe(0);
  if (error instanceof StatusError) return error;
  throw new Error("expected a StatusError", { cause: error });
}

describe("a watch that is refused with", () => {
  test("a Status fails with it", async () => {
    const { status } = await refused((response) => response.writeHead(410, streamHeaders).end(JSON.stringify(refusal)));
    expect([status.reason, status.message]).toEqual(["Expired", "too old resource version"]);
  });

  test.each<[string, number, (response: ServerResponse) => void, string]>([
    ["a body that never comes", 403, (response) => response.flushHeaders(), "Forbidden"],
    ["a body that stops in its middle", 410, (response) => response.write('{"kind":"Status","mess'), ""],
    ["a body that is cut off", 404, (response) => void response.write("{", () => response.destroy()), "NotFound"],
    ["a body without an end", 401, (response) => void endless(response), "Unauthorized"],
    ["a body that is not JSON", 404, (response) => response.end("<html>"), "NotFound"],
    ["a Status of success", 404, (response) => response.end('{"kind":"Status","status":"Success"}'), "NotFound"],
    ["a Status whose fields are of other types", 404, (response) => response.end('{"kind":"Status","message":7,"reason":[]}'), "NotFound"],
  ])("%s fails with its status code", async (_, code, answer, reason) => {
    const { status } = await refused((response) =>
      answer(response.writeHead(code, { ...streamHeaders, "content-type": "application/json" })),
    );
    expect([status.code, status.reason]).toEqual([code, reason]);
  });
});

async function endless(response: ServerResponse): Promise<void> {
  const closed = new Promise<void>((resolve) => void response.once("close", resolve));
  while (!response.closed && !response.destroyed) {
    if (!response.write("x".repeat(64 * 1024))) {
      await Promise.race([closed, new Promise<void>((resolve) => void response.once("drain", resolve))]);
    }
  }
}

describe("an ERROR event", () => {
  test.each([
    ["of an expired version", { code: 410, reason: "Expired", message: "too old" }],
    ["without anything", {}],
    ["with fields of other types", { code: "x", message: 7, details: null }],
  ])("%s is handed to the reader", async (_, object) => {
    await using server = await watchedServer((_, response) => {
      response.writeHead(200, streamHeaders).end(`${JSON.stringify({ type: "ERROR", object })}\n`);
    });
    const events: unknown[] = [];
    for await (const event of await server.client.watch(PersistentVolume, {})) events.push(event);
    expect(events).toEqual([{ type: "ERROR", object }]);
  });
});
