import { type Client, type KubeObject, type Resource, StatusError, TransportError } from "@csi-sidecars/kube";
import { type LastStep, takeStep } from "@csi-sidecars/testcluster";

/** What goes wrong with requests of one kind: refused, carried out with the answer lost, or the process dies before or after it. */
export interface Disturbance {
  readonly verb: "get" | "create" | "update" | "patch" | "delete";
  readonly resource: Resource;
  readonly how: "refused" | "lost" | "dies before" | "dies after";
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
export function mortalClient(client: Client, disturbances: Disturbance[], onDeath: () => void, last?: LastStep): MortalClient {
  let dead = false;
  const kill = () => {
    dead = true;
    onDeath();
  };
  const reset = () => new TransportError("reset", "connection reset by peer");
  async function ask<R>(verb: Disturbance["verb"], resource: Resource<never>, send: () => Promise<R>): Promise<R> {
    if (dead) throw reset();
    const found = disturbances.find((each) => each.verb === verb && each.resource.plural === resource.plural && (each.times ?? 1) > 0);
    if (!found && last) {
      const taken = await takeStep(last, `${verb} ${resource.plural}`, send, kill);
      if (taken) return taken.result;
      throw reset();
    }
    if (!found) return send();
    found.times = (found.times ?? 1) - 1;
    if (found.how === "refused") throw new StatusError({ code: 500, reason: "InternalError", message: "refused by the test" });
    if (found.how === "dies before") kill();
    else {
      await send();
      if (found.how === "dies after") kill();
    }
    throw reset();
  }
  const loosely = <T extends KubeObject>(resource: Resource<T>) => resource as Resource<never>;
  return {
    ...client,
    disturbances,
    kill,
    get dead() {
      return dead;
    },
    get: (resource, ref, options) => ask("get", loosely(resource), () => client.get(resource, ref, options)),
    create: (resource, object, options) => ask("create", loosely(resource), () => client.create(resource, object, options)),
    update: (resource, object, options) => ask("update", loosely(resource), () => client.update(resource, object, options)),
    patch: (resource, ref, patch, options) => ask("patch", loosely(resource), () => client.patch(resource, ref, patch, options)),
    delete: (resource, ref, options) => ask("delete", loosely(resource), () => client.delete(resource, ref, options)),
  };
}
