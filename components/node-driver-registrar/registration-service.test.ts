import { expect, test } from "bun:test";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { hostPath, testNode } from "./testing/node.ts";

/** Calls a method with bytes as they are; answers the message's bytes and the status. */
function call(
  path: string,
  authority: string,
  method: string,
  message: Uint8Array,
): Promise<{ bytes: Buffer; status: string | undefined }> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2("http://localhost", { createConnection: () => connect(path) });
    session.once("error", reject);
    const stream = session.request({
      ":method": "POST",
      ":path": `/pluginregistration.Registration/${method}`,
      ":authority": authority,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const chunks: Buffer[] = [];
    let status: string | undefined;
    stream.on("response", (headers) => {
      status ??= headers["grpc-status"]?.toString();
    });
    stream.on("trailers", (trailers) => {
      status = trailers["grpc-status"]?.toString();
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("error", reject);
    stream.once("close", () => {
      session.close();
      resolve({ bytes: Buffer.concat(chunks).subarray(5), status });
    });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
  });
}

const field = (number: number, text: string) => Buffer.concat([Buffer.from([(number << 3) | 2, text.length]), Buffer.from(text)]);

test("the bytes of GetInfo are those of the protocol", async () => {
  await using node = await testNode();
  await (await node.registrar()).wrote("Registration Server started");
  const { bytes, status } = await call(node.socket, "localhost", "GetInfo", new Uint8Array());
  expect(status).toBe("0");
  expect(bytes).toEqual(Buffer.concat([field(1, "CSIPlugin"), field(2, "driver.example.com"), field(3, hostPath), field(4, "1.0.0")]));
});

test("fields of a later protocol are ignored", async () => {
  await using node = await testNode();
  const run = await node.registrar();
  await run.wrote("Registration Server started");
  const message = Buffer.concat([Buffer.from([0x08, 0x01]), field(9, "later")]);
  expect(await call(node.socket, "localhost", "NotifyRegistrationStatus", message)).toEqual({ bytes: Buffer.alloc(0), status: "0" });
});

test.each(["localhost", "%2Fregistration%2Fdriver-reg.sock"])("kubelet may call it %s", async (authority) => {
  await using node = await testNode();
  await (await node.registrar()).wrote("Registration Server started");
  expect((await call(node.socket, authority, "GetInfo", new Uint8Array())).status).toBe("0");
});
