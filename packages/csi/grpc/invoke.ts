import type { Channel } from "./channel.ts";
import { type CallOptions, ClientCall } from "./client-call.ts";
import { frameMessage } from "./framing.ts";
import { Code, GrpcError } from "./status.ts";

/** One request, one answer, as bytes. Rejects with a {@link GrpcError}, always. */
export function callUnary(channel: Channel, path: string, request: Uint8Array, options: CallOptions = {}): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let answer: Uint8Array | undefined;
    const call = new ClientCall(channel, path, frameMessage(request), options, {
      message(bytes) {
        if (answer) {
          call.cancel();
          reject(violation("expected <EOF> for non-server-streaming RPCs, but received another message"));
        }
        answer = bytes;
      },
      end(error) {
        if (error) reject(error);
        else if (!answer) reject(violation("received no response message from non-server-streaming RPC"));
        else resolve(answer);
      },
    });
    call.start();
  });
}

function violation(text: string): GrpcError {
  return new GrpcError(Code.Internal, `cardinality violation: ${text}`, { origin: "transport" });
}

/** The answers read ahead of the consumer before the server is held back: so many, or so many bytes. */
const readAhead = { messages: 16, bytes: 1024 * 1024 };

/**
 * One request, many answers, as bytes. The call starts with the first `next()`; leaving the loop early cancels it.
 *
 * ```ts
 * for await (const bytes of callServerStream(channel, path, request)) ...
 * ```
 */
export async function* callServerStream(
  channel: Channel,
  path: string,
  request: Uint8Array,
  options: CallOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const messages: Uint8Array[] = [];
  let bytesAhead = 0;
  let ended: { readonly error: GrpcError | undefined } | undefined;
  let wake = () => {};
  const call = new ClientCall(channel, path, frameMessage(request), options, {
    message(bytes) {
      messages.push(bytes);
      bytesAhead += bytes.length;
      if (messages.length >= readAhead.messages || bytesAhead >= readAhead.bytes) call.pause();
      wake();
    },
    end(error) {
      ended = { error };
      wake();
    },
  });
  call.start();
  try {
    for (;;) {
      const next = messages.shift();
      if (next) {
        bytesAhead -= next.length;
        yield next;
      } else if (ended) {
        if (ended.error) throw ended.error;
        return;
      } else {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        call.resume();
        await woken;
      }
    }
  } finally {
    call.cancel();
  }
}
