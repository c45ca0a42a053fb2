import { createServer, type IncomingMessage, request } from "node:http";
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

/** The operations as another process calls them. */
export type RemoteOperations = {
  readonly [K in keyof Operations]: (...args: Parameters<Operations[K]>) => Promise<Awaited<ReturnType<Operations[K]>>>;
};

/** The operations of the driver whose control channel is at `socket`. */
export function controlClient(socket: string): RemoteOperations {
  const methods = operationNames.map((name) => [name, (...args: unknown[]) => post(socket, name, args)]);
  return Object.fromEntries(methods) as RemoteOperations;
}

function post(socketPath: string, operation: string, args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: `/${operation}`, method: "POST", agent: false }, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const answer = fromJson(Buffer.concat(chunks).toString());
        if (response.statusCode === 200) resolve(answer);
        else reject(new Error(`${operation}: ${toJson(answer)}`));
      } catch (error) {
        reject(error);
      }
    });
    asked.once("error", reject);
    asked.end(toJson(args));
  });
}

/** JSON that keeps bigints. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? { $bigint: String(inner) } : inner)) ?? "null";
}

export function fromJson(text: string): unknown {
  return JSON.parse(text, (_, inner) => (typeof inner?.$bigint === "string" ? BigInt(inner.$bigint) : inner));
}
