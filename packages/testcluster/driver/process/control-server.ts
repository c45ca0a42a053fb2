import { createServer, type IncomingMessage } from "node:http";
import { fromJson, toJson } from "./json.ts";
import { type Operations, operationNames } from "./operations.ts";

/** Serves the operations over HTTP on a unix socket: `POST /script` with the arguments as a JSON array, `GET /state`. */
export async function serveControl(socket: string, operations: Operations): Promise<{ close(): void }> {
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(toJson(body));
    };
    try {
      const name = operationNames.find((candidate) => `/${candidate}` === request.url);
      if (!name) return reply(404, { error: `no operation ${request.url}; there are ${operationNames.join(", ")}` });
      const body = await textOf(request);
      const operation = operations[name] as (...args: unknown[]) => unknown;
      reply(200, (await operation(...(body === "" ? [] : (fromJson(body) as unknown[])))) ?? null);
    } catch (error) {
      reply(400, { error: String(error) });
    }
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  return { close: () => server.close() };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
