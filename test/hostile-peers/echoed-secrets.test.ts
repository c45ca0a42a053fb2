import { describe, expect, test } from "bun:test";
import { Code, driverClient, type GrpcError } from "@csi-sidecars/csi";
import { failureOf } from "../../packages/csi/grpc/testing/failure.ts";
import { type Answer, grpcHeaders, hostileGrpcServer, status } from "./testing/hostile-grpc-server.ts";

const password = 'päss "w/rd" & größer+';
const key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIHunter2Hunter2\nHunter2HuntEr2Hunter2Hunter2A=\n-----END PRIVATE KEY-----\n";
const secrets = { user: "admin", password, key };
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Percent-encodes every byte, as a sender of `grpc-message` may. */
const escapedEntirely = (text: string) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const fails =
  (message: string | Uint8Array): Answer =>
  (connection, id) =>
    connection.headers(id, [...grpcHeaders, ...status("16", message)], true);

async function errorOf(answer: Answer): Promise<GrpcError> {
  await using world = await hostileGrpcServer({ answers: [answer] });
  const { controller } = driverClient(world.channel);
  return (await failureOf(controller.deleteVolume({ volumeId: "vol-1", secrets }, { waitForReady: true }))) as GrpcError;
}

describe("a driver that repeats the secrets of a call", () => {
  test.each<[string, Answer]>([
    ["in raw UTF-8", fails(Buffer.from(`cannot use ${password}`))],
    ["with every byte escaped", fails(escapedEntirely(`cannot use ${password}`))],
    ["in a form", fails(escapedEntirely(`POST ${new URLSearchParams({ password })}`))],
    ["in JSON in JSON", fails(escapedEntirely(JSON.stringify(JSON.stringify({ password }))))],
    ["in a basic authorization", fails(`Authorization: Basic ${base64(`admin:${password}`)}`)],
    ["in hex", fails(`bytes ${Buffer.from(password).toString("hex")}`)],
    ["line by line", fails(`cannot decode ${key.split("\n")[2]}`)],
    ["at the end of a long text", fails(`${"x".repeat(30_000)} ${escapedEntirely(password)}`)],
    ["as a status that is none", (connection, id) => connection.headers(id, [...grpcHeaders, ["grpc-status", base64(password)]], true)],
    [
      "as a content type",
      (connection, id) =>
        connection.headers(
          id,
          [
            [":status", "200"],
            ["content-type", base64(password)],
          ],
          true,
        ),
    ],
  ])("%s has them stripped from its error", async (_, answer) => {
    const error = await errorOf(answer);
    expect(error.message).toContain("***stripped***");
    const written = Bun.inspect(error, { depth: 10 }) + JSON.stringify(error);
    for (const part of ["w/rd", "w%2Frd", base64(password).slice(4, 20), Buffer.from("w/rd").toString("hex"), "HuntEr2"]) {
      expect({ part, leaks: written.includes(part) }).toEqual({ part, leaks: false });
    }
  });

  test("has the rest of its error left as it is", async () => {
    const error = await errorOf(fails("delete vol-1: user admin: access denied by policy p-7 (true)"));
    expect([error.code, error.origin, error.details]).toEqual([
      Code.Unauthenticated,
      "peer",
      "delete vol-1: user ***stripped***: access denied by policy p-7 (true)",
    ]);
  });
});
