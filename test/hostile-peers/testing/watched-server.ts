import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { connect, createClient } from "@csi-sidecars/kube";
import { json, type Script, scriptedServer } from "../../../packages/kube/client/testing/scripted-server.ts";
import { configFor } from "../../../packages/kube/transport/testing/expectations.ts";

/** A client over our own transport, and a server that answers its watches as `script` says and its lists with nothing. */
export async function watchedServer(script: Script) {
  const server = await scriptedServer((request, response, index) => {
    if (request.url.includes("watch=true")) script(request, response, index);
    else json(response, { kind: "List", metadata: { resourceVersion: "100" }, items: [] });
  });
  const clock = new FakeClock();
  const log = recordingLogger();
  const transport = connect(configFor(server.url), { userAgent: "test/v1", clock, log });
  const client = createClient({ transport, clock, log, name: "test", qps: -1, burst: 0 });
  return {
    client,
    clock,
    log,
    requests: server.requests,
    async [Symbol.asyncDispose]() {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Starts the answer to a watch that the server has accepted. */
export const streamHeaders = { "content-type": "application/json" } as const;
