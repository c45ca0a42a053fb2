import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { stringifyExactJson } from "@csi-sidecars/base";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Script = (request: SeenRequest, response: ServerResponse, index: number) => void;

/** An HTTP server on loopback that answers as a test tells it, and remembers what it was asked. */
export async function scriptedServer(script: Script) {
  const requests: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const parts: Uint8Array[] = [];
    for await (const part of incoming) parts.push(part);
    const request = {
      method: incoming.method ?? "",
      url: incoming.url ?? "",
      headers: incoming.headers,
      body: Buffer.concat(parts).toString(),
    };
    requests.push(request);
    script(request, response, requests.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(stringifyExactJson(body));
}
