import { parseExactJson, stringifyExactJson } from "@csi-sidecars/base";
import type { CertificatePair } from "../access/certificate-authority.ts";
import type { ApiServer } from "../api-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every kind
type Json = any;

export interface WireAnswer {
  readonly code: number;
  readonly body: Json;
  readonly headers: Headers;
}

/** A plain HTTP client: tests assert what any client sees. */
export interface Wire {
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<WireAnswer>;
  get(path: string): Promise<WireAnswer>;
  post(path: string, body: unknown): Promise<WireAnswer>;
  put(path: string, body: unknown): Promise<WireAnswer>;
  merge(path: string, body: unknown): Promise<WireAnswer>;
  delete(path: string, body?: unknown): Promise<WireAnswer>;
  watch(path: string): Promise<WireWatch>;
  /** The same with an Accept header. */
  accepting(accept: string): Wire;
}

/** An open watch. */
interface WireWatch extends AsyncDisposable {
  readonly code: number;
  /** The next event; `undefined` at the end of the stream; rejects when the connection breaks. */
  next(): Promise<Json>;
  take(count: number): Promise<Json[]>;
  /** Everything up to the end. */
  rest(): Promise<Json[]>;
}

export function wire(server: Pick<ApiServer, "url" | "caPem">, credential: { token?: string } | CertificatePair, accept?: string): Wire {
  const tls = { ca: server.caPem, ...("certPem" in credential && { cert: credential.certPem, key: credential.keyPem }) };
  const authorization: Record<string, string> =
    "token" in credential && credential.token !== undefined ? { Authorization: `Bearer ${credential.token}` } : {};
  const send = (method: string, path: string, body?: unknown, contentType = "application/json", signal?: AbortSignal) =>
    fetch(server.url + path, {
      method,
      headers: {
        ...authorization,
        ...(accept !== undefined && { Accept: accept }),
        ...(body !== undefined && { "Content-Type": contentType }),
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : stringifyExactJson(body) }),
      signal: signal ?? null,
      tls,
      keepalive: !("certPem" in credential),
    });
  const request: Wire["request"] = async (method, path, body, contentType) => {
    const response = await send(method, path, body, contentType);
    const text = await response.text();
    const json = response.headers.get("content-type")?.startsWith("application/json");
    return { code: response.status, body: json ? parseExactJson(text) : text, headers: response.headers };
  };
  return {
    request,
    get: (path) => request("GET", path),
    post: (path, body) => request("POST", path, body),
    put: (path, body) => request("PUT", path, body),
    merge: (path, body) => request("PATCH", path, body, "application/merge-patch+json"),
    delete: (path, body) => request("DELETE", path, body),
    accepting: (other) => wire(server, credential, other),
    async watch(path) {
      const abort = new AbortController();
      const response = await send("GET", path, undefined, undefined, abort.signal);
      const lines = linesOf(response);
      const next = async () => {
        const { value, done } = await lines.next();
        return done ? undefined : parseExactJson(value);
      };
      return {
        code: response.status,
        next,
        async take(count) {
          const events: Json[] = [];
          while (events.length < count) events.push(await next());
          return events;
        },
        async rest() {
          const events: Json[] = [];
          for (let event = await next(); event !== undefined; event = await next()) events.push(event);
          return events;
        },
        async [Symbol.asyncDispose]() {
          abort.abort();
        },
      };
    },
  };
}

async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
  return undefined;
}
