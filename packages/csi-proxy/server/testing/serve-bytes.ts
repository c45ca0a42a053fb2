import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Channel, type Codec, GrpcError, GrpcServer, serviceClient } from "@csi-sidecars/csi";
import type { ApiGroupName } from "../api-groups.ts";
import type { CsiProxyHandlers } from "../library.ts";
import { serviceFor } from "../service-for.ts";

/** Leaves messages as they are: what is on the wire is what the test wrote. */
const bytes: Codec<Uint8Array> = { encode: (message) => ({ finish: () => message }), decode: (message) => message };

/** Serves a group and version on a socket, and calls it with bytes. */
export async function serveBytes(group: ApiGroupName, version: string, handlers: CsiProxyHandlers) {
  const folder = await mkdtemp(join(tmpdir(), "csi-proxy-"));
  const path = join(folder, "server.sock");
  const served = serviceFor(group, version, handlers, { workingDirs: ["C:\\var\\lib\\kubelet"] });
  const server = new GrpcServer().serve(served.definition, served.handlers);
  await server.listen({ path });
  const channel = new Channel({ target: { kind: "unix", path } });
  const names = Object.values(served.definition.methods).map(({ name }) => name);
  const methods = names.map((name) => [
    name,
    { name, requestType: bytes, requestStream: false, responseType: bytes, responseStream: false },
  ]);
  const client = serviceClient({ fullName: served.definition.fullName, methods: Object.fromEntries(methods) }, channel);
  return {
    path,
    methods: names,
    call: (method: string, request: Uint8Array): Promise<Uint8Array> =>
      client[method]!(request, { timeoutMs: 10_000, waitForReady: true }) as Promise<Uint8Array>,
    async [Symbol.asyncDispose]() {
      channel.close();
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The status that a call ends with. */
export async function failure(call: Promise<unknown>): Promise<readonly [code: number, text: string]> {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  if (!(error instanceof GrpcError)) throw new Error(`not a status: ${error}`);
  return [error.code, error.details];
}
