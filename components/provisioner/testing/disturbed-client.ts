import { type Client, type Resource, StatusError } from "@csi-sidecars/kube";
import { connectionReset, interceptedClient, type ObjectVerb } from "@csi-sidecars/testcluster";

/** What goes wrong with requests of one kind: sent late, refused or found invalid, carried out with the response lost, or the process dies before or after it. */
export interface Disturbance {
  readonly verb: ObjectVerb;
  readonly resource: Resource;
  readonly how: Promise<unknown> | "refused" | "invalid" | "lost" | "dies before" | "dies after";
  /** Once unless told. */
  times?: number;
}

/** A client whose requests fail as told, on whichever server; `kill` ends the process. */
export function disturbedClient(client: Client, disturbances: readonly Disturbance[], kill: () => void): Client {
  return interceptedClient(client, async (verb, resource, send) => {
    const found = disturbances.find((each) => each.verb === verb && each.resource.plural === resource.plural && (each.times ?? 1) > 0);
    if (!found) return send();
    found.times = (found.times ?? 1) - 1;
    if (found.how instanceof Promise) return found.how.then(send);
    if (found.how === "refused") throw new StatusError({ code: 500, reason: "InternalError", message: "refused by the test" });
    if (found.how === "invalid") throw new StatusError({ code: 422, reason: "Invalid", message: "found wrong by the test" });
    if (found.how === "dies before") kill();
    else {
      await send();
      if (found.how === "dies after") kill();
    }
    throw connectionReset();
  });
}
