// The client of go-client/main.go in TypeScript, with this repository's own gRPC: it makes the calls that the test asks for. With
// `--silent-connections` it first opens another connection, as clients in Go do to see that a pipe is there, and keeps that without a word.
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { Channel, type Codec, GrpcError, serviceClient } from "@csi-sidecars/csi";
import type { Answer, Call } from "../testing/client-program.ts";

const bytes: Codec<Uint8Array> = { encode: (message) => ({ finish: () => message }), decode: (message) => message };
const [address = "", ...flags] = process.argv.slice(2);
const opensSilent = flags.includes("--silent-connections");
const channels = new Map<string, Channel>();

async function channelTo(path: string): Promise<Channel> {
  const known = channels.get(path);
  if (known) return known;
  const channel = new Channel({ target: { kind: "unix", path } });
  channels.set(path, channel);
  if (opensSilent) {
    const silent = connect(path);
    await once(silent, "connect");
    silent.on("error", () => {});
  }
  return channel;
}

async function answer({ id, endpoint, method, request, timeoutMs }: Call): Promise<Answer> {
  const [, fullName = "", name = ""] = method.split("/");
  const definition = { name, requestType: bytes, requestStream: false, responseType: bytes, responseStream: false } as const;
  const { call } = serviceClient({ fullName, methods: { call: definition } }, await channelTo(endpoint));
  try {
    const response = await call(Buffer.from(request, "base64"), { timeoutMs });
    return { id, code: 0, message: "", response: Buffer.from(response).toString("base64") };
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return { id, code: error.code, message: error.details, response: null };
  }
}

const [host = "", port = ""] = address.split(":");
const test = connect(Number(port), host);
test.once("close", () => process.exit(0));
createInterface({ input: test }).on("line", async (line) => test.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`));
