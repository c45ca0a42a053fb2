import { messageOf } from "@csi-sidecars/base";
import { apiVersionOf, ignoreNotFound, isAlreadyExists, type KubeObject, type Resource } from "@csi-sidecars/kube";
import type { ClusterContext } from "../runtime/cluster-controller.ts";

/** What a controller does with the dependents of an owner, told in events about the owner. */
export interface Dependents {
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<void>;
  /** For what outlives its owner: an existing object is left as it is. */
  ensure<T extends KubeObject>(resource: Resource<T>, object: T): Promise<void>;
  remove<T extends KubeObject>(resource: Resource<T>, object: T): Promise<void>;
}

/** The dependents of each owner of a kind, for the controller of that name. */
export function dependentsOf({ client, recorder }: ClusterContext, controller: string, ownerKind: Resource) {
  const events = recorder(controller);
  return (owner: KubeObject, signal: AbortSignal): Dependents => {
    const { name = "", namespace, uid = "", resourceVersion } = owner.metadata ?? {};
    const about = { apiVersion: apiVersionOf(ownerKind), kind: ownerKind.kind, name, namespace, uid, resourceVersion };
    const create: Dependents["create"] = async (resource, object) => {
      const created = await client.create(resource, object, { signal });
      events.event(about, "Normal", "SuccessfulCreate", `Created ${resource.kind} ${created.metadata?.name}`);
    };
    const failed = ({ kind }: Resource, error: unknown): never => {
      if (!signal.aborted) events.event(about, "Warning", "FailedCreate", `Cannot create a ${kind}: ${messageOf(error)}`);
      throw error;
    };
    return {
      create: (resource, object) => create(resource, object).catch((error: unknown) => failed(resource, error)),
      ensure: (resource, object) =>
        create(resource, object).catch((error: unknown) => (isAlreadyExists(error) ? undefined : failed(resource, error))),
      async remove(resource, { metadata }) {
        const { name: removed = "", uid: of } = metadata ?? {};
        await ignoreNotFound(client.delete(resource, { namespace, name: removed }, { signal, ...(of && { preconditions: { uid: of } }) }));
        events.event(about, "Normal", "SuccessfulDelete", `Deleted ${resource.kind} ${removed}`);
      },
    };
  };
}
