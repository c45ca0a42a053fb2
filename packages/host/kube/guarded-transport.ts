import type { Transport } from "@csi-sidecars/kube";
import { notLeading } from "../driver/refusal.ts";

/**
 * A transport that sends no write unless `mayAct`. It is asked when a request really leaves: after the wait for the client's token
 * bucket, and again for each retry.
 */
export function guardedTransport(transport: Transport, mayAct: () => boolean): Transport {
  return {
    request(request) {
      if (request.method === "GET" || mayAct()) return transport.request(request);
      return Promise.reject(notLeading(`${request.method} ${request.path.split("?", 1)[0]}`));
    },
    close: () => transport.close(),
  };
}
