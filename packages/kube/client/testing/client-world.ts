import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { type ClientOptions, createClient } from "../create-client.ts";
import { plainTransport } from "./plain-transport.ts";
import { type Script, scriptedServer } from "./scripted-server.ts";

/** A client without limits, its clock and log, and a scripted server at the other end of a real socket. */
export async function clientWorld(script: Script, options: Partial<ClientOptions> = {}) {
  const server = await scriptedServer(script);
  const clock = new FakeClock();
  const log = recordingLogger();
  const transport = plainTransport(server.url);
  const client = createClient({ transport, clock, log, name: "test", qps: -1, burst: 0, ...options });
  return {
    client,
    clock,
    log,
    requests: server.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
