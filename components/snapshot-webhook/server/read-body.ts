import type { IncomingMessage } from "node:http";
import type { Answer } from "@csi-sidecars/host";

/** What all requests together may keep in memory while they come in. */
const totalBytes = 128 * 1_024 * 1_024;

/** How much of that is taken. */
export class ReadBudget {
  taken = 0;

  take(bytes: number): boolean {
    if (this.taken + bytes > totalBytes) return false;
    this.taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.taken -= bytes;
  }
}

/** A body, why it is not read, or nothing: the client went away. Disposed of, it leaves its memory to others. */
export type Body = Disposable &
  (
    | { readonly outcome: "read"; readonly text: string }
    | { readonly outcome: "refused"; readonly answer: Answer }
    | { readonly outcome: "cut" }
  );

/** Reads the body of a request, up to a limit. The rest of one that is refused is left unread. */
export function readBody(request: IncomingMessage, maxBytes: number, budget: ReadBudget): Promise<Body> {
  const { promise, resolve } = Promise.withResolvers<Body>();
  const chunks: Buffer[] = [];
  let size = 0;
  const ends = { [Symbol.dispose]: () => budget.give(size) };
  const refuse = (status: number, message: string) => {
    request.pause();
    request.off("data", take);
    resolve({ ...ends, outcome: "refused", answer: { status, body: `${message}\n` } });
  };
  const refuseLarge = () => refuse(413, `the request has more than ${maxBytes} bytes`);
  const take = (chunk: Buffer) => {
    if (size + chunk.length > maxBytes) return refuseLarge();
    if (!budget.take(chunk.length)) return refuse(503, "too many requests at once");
    size += chunk.length;
    chunks.push(chunk);
  };
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) refuseLarge();
  else request.on("data", take);
  request.on("end", () => resolve({ ...ends, outcome: "read", text: Buffer.concat(chunks).toString() }));
  const cut = () => resolve({ ...ends, outcome: "cut" });
  request.on("error", cut);
  request.on("close", cut);
  return promise;
}
