import type { Channel } from "./channel.ts";
import { type CallOptions, ClientCall } from "./client-call.ts";
import { Code } from "./code.ts";
import { frameMessage } from "./framing.ts";
import { GrpcError } from "./grpc-error.ts";

/** One request, one answer, as bytes. Rejects with a {@link GrpcError}, always. */
export function callUnary(channel: Channel, path: string, request: Uint8Array, options: CallOptions = {}): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let answer: Uint8Array | undefined;
    let surplus = false;
    new ClientCall(channel, path, frameMessage(request), options, {
      message(bytes) {
        surplus = answer !== undefined;
        answer = bytes;
      },
      end(error) {
        if (error) reject(error);
        else if (!answer) reject(violation("received no response message from non-server-streaming RPC"));
        else if (surplus) reject(violation("expected <EOF> for non-server-streaming RPCs, but received another message"));
        else resolve(answer);
      },
    }).start();
  });
}

function violation(text: string): GrpcError {
  return new GrpcError(Code.Internal, `cardinality violation: ${text}`, { origin: "transport" });
}
