import { type Client, type Resource, StatusError } from "@csi-sidecars/kube";
import { type CrashPoint, connectionReset, interceptedClient, type ObjectVerb, stepOrCrash } from "@csi-sidecars/testcluster";

/** What goes wrong with requests of one kind: refused or found wrong, carried out with the answer lost, or the process dies before or after it. */
export interface Disturbance {
  readonly verb: ObjectVerb;
  readonly resource: Resource;
  readonly how: "refused" | "invalid" | "lost" | "dies before" | "dies after";
  /** Once unless told. */
  times?: number;
}

export interface MortalClient extends Client {
  readonly disturbances: Disturbance[];
  /** From now on nothing it is asked reaches the server or comes back: the process is dead. */
  kill(): void;
  readonly dead: boolean;
}

/** A client whose requests fail as told, on whichever server, and that can die between any two of them. */
export function mortalClient(client: Client, disturbances: Disturbance[], onDeath: () => void, last?: CrashPoint): MortalClient {
  let dead = false;
  const kill = () => {
    dead = true;
    onDeath();
  };
  const mortal = interceptedClient(client, async (verb, resource, send) => {
    if (dead) throw connectionReset();
    const found = disturbances.find((each) => each.verb === verb && each.resource.plural === resource.plural && (each.times ?? 1) > 0);
    if (!found && last) {
      const taken = await stepOrCrash(last, `${verb} ${resource.plural}`, send, kill);
      if (taken) return taken.result;
      throw connectionReset();
    }
    if (!found) return send();
    found.times = (found.times ?? 1) - 1;
    if (found.how === "refused") throw new StatusError({ code: 500, reason: "InternalError", message: "refused by the test" });
    if (found.how === "invalid") throw new StatusError({ code: 422, reason: "Invalid", message: "found wrong by the test" });
    if (found.how === "dies before") kill();
    else {
      await send();
      if (found.how === "dies after") kill();
    }
    throw connectionReset();
  });
  return {
    ...mortal,
    disturbances,
    kill,
    get dead() {
      return dead;
    },
  };
}
