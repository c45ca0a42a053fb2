import type { AdmissionContext } from "../../rules/admission.ts";
import { storageKey } from "../store/revision.ts";
import type { World, Writer } from "./world.ts";

/** What admission may look at: the present objects, the user, the time. */
export function admissionContext(world: World, writer: Writer): AdmissionContext {
  return {
    get: (groupResource, namespace, name) => world.store.table(groupResource).get(storageKey(namespace, name))?.object,
    list: (groupResource) => [...world.store.table(groupResource).values()].map((revision) => revision.object),
    user: writer.user,
    now: world.clock.now(),
  };
}
