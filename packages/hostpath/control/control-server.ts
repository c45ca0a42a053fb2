import { createServer, type IncomingMessage } from "node:http";
import { messageOf } from "@csi-sidecars/base";
import { type ListenAddress, listenOn } from "@csi-sidecars/csi";
import type { HostpathDriver } from "../driver.ts";
import { checkRules } from "../faults/read-rules.ts";
import { callScript } from "./script-calls.ts";

class NotFound extends Error {}

/** Serves the control API over HTTP: recorded calls, fault rules, state, scripts. Meant for a Unix socket that only tests can reach. */
export async function serveControl(address: ListenAddress, driver: HostpathDriver): Promise<{ close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(body, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
    };
    try {
      reply(200, (await answer(driver, request)) ?? {});
    } catch (error) {
      reply(error instanceof NotFound ? 404 : 400, { error: messageOf(error) });
    }
  });
  await listenOn(server, address);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(driver: HostpathDriver, request: IncomingMessage): Promise<unknown> {
  const url = new URL(request.url ?? "/", "http://control");
  const [, head = "", argument = ""] = url.pathname.split("/");
  switch (`${request.method} /${head}`) {
    case "GET /healthz":
      return { ok: true };
    case "GET /calls":
      return driver.calls.since(Number(url.searchParams.get("since") ?? 0));
    case "DELETE /calls":
      return driver.calls.clear();
    case "GET /rules":
      return driver.rules.rules;
    case "PUT /rules":
      return driver.rules.set(checkRules(await bodyOf(request), "rules"));
    case "DELETE /rules":
      return driver.rules.set([]);
    case "GET /state":
      return driver.state;
    case "GET /stats":
      return driver.report();
    case "POST /script": {
      const body = await bodyOf(request);
      return callScript(driver.script, argument, Array.isArray(body) ? body : body === undefined ? [] : [body]);
    }
    case "POST /release":
      return { released: driver.held.release(Number(argument)) };
    case "POST /crash":
      return driver.crash(1);
    default:
      throw new NotFound(`no ${request.method} ${url.pathname}; there are calls, rules, state, stats, script, release, crash, healthz`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? undefined : JSON.parse(text);
}
