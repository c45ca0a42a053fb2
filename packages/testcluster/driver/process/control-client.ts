import { request } from "node:http";
import { fromJson, toJson } from "./json.ts";
import { type Operations, operationNames } from "./operations.ts";

/** The operations from another process: each answers later. */
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
