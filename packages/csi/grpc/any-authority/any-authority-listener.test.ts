import { expect, test } from "bun:test";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { FakeClock } from "@csi-sidecars/base/testing";
import { IdentityDefinition } from "../../gen/csi.ts";
import { GrpcServer, type ServerOptions } from "../server.ts";
import { tempSocket } from "../testing/temp-socket.ts";

async function serve(path: string, options: ServerOptions = {}): Promise<GrpcServer & AsyncDisposable> {
  const server = new GrpcServer({ anyAuthority: true, ...options }).serve(IdentityDefinition, { probe: () => ({ ready: true }) });
  await server.listen({ path });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.kill() });
}

/** The `grpc-status` of a call whose request has this `:authority`. */
function probe(session: ClientHttp2Session, authority: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/csi.v1.Identity/Probe",
      ":authority": authority,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("response", (headers) => headers["grpc-status"] && resolve(headers["grpc-status"]));
    stream.on("trailers", (trailers) => resolve(trailers["grpc-status"]));
    stream.on("error", reject);
    stream.on("close", () => reject(new Error("closed without a status")));
    stream.resume();
    stream.end(Buffer.alloc(5));
  });
}

const authorities = [
  "localhost",
  String.raw`\\.\pipe\csi-proxy-disk-v1`,
  String.raw`\\.\\pipe\\csi-proxy-disk-v1`,
  "%5C%5C.%5C%5Cpipe%5C%5Ccsi-proxy-disk-v1",
  "/var/lib/kubelet/plugins/csi.sock",
  "%2Fvar%2Flib%2Fkubelet",
  "a b",
  "user@host:0",
];

test("requests are served whatever their authority is, many over one connection", async () => {
  await using socket = await tempSocket();
  await using _server = await serve(socket.path);
  const session = connectHttp2("http://localhost", { createConnection: () => connect(socket.path) });
  for (const authority of [...authorities, ...authorities]) expect([authority, await probe(session, authority)]).toEqual([authority, "0"]);
  expect(await Promise.all(authorities.map((authority) => probe(session, authority)))).toEqual(authorities.map(() => "0"));
  session.destroy();
});

test("a connection that stays silent is closed after two minutes, and no other", async () => {
  const clock = new FakeClock();
  await using socket = await tempSocket();
  await using _server = await serve(socket.path, { clock });
  const silent = connect(socket.path);
  const closed = new Promise((resolve) => silent.on("close", resolve));
  const session = connectHttp2("http://localhost", { createConnection: () => connect(socket.path) });
  expect(await probe(session, "x")).toBe("0");
  await clock.advance(119_999);
  expect(await probe(session, "x")).toBe("0");
  expect(silent.destroyed).toBe(false);
  await clock.advance(1);
  silent.resume();
  await closed;
  expect(await probe(session, "x")).toBe("0");
  session.destroy();
});
