import { type Transport, TransportError, type TransportErrorKind } from "../../transport/transport.ts";

/** A minimal transport: plain HTTP, no credentials. For tests of what uses a transport. */
export function plainTransport(url: string): Transport {
  return {
    async request({ method, path, headers, body, signal, timeoutMs, streaming }) {
      const stop = AbortSignal.any([...(signal ? [signal] : []), ...(streaming ? [] : [AbortSignal.timeout(timeoutMs)])]);
      const response = await translating(() => fetch(url + path, { method, headers, body, signal: stop }));
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        text: () => translating(() => response.text()),
        chunks: () => translatingAll(response.body ?? []),
      };
    },
    close() {},
  };
}

async function translating<R>(fn: () => Promise<R>): Promise<R> {
  try {
    return await fn();
  } catch (error) {
    throw translated(error);
  }
}

async function* translatingAll(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw translated(error);
  }
}

const kinds: Readonly<Record<string, TransportErrorKind>> = {
  ConnectionRefused: "refused",
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  AbortError: "aborted",
  TimeoutError: "timeout",
};

function translated(error: unknown): TransportError {
  const { code, name, message } = error as { code?: string | number; name?: string; message?: string };
  return new TransportError(kinds[String(code)] ?? kinds[name ?? ""] ?? "other", message ?? String(error), { cause: error });
}
