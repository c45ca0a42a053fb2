import type { PolicyRule } from "@csi-sidecars/host";
import type { Need } from "./facts.ts";

/** Takes rules apart into single questions, each asked once for everyone who has it. */
export function needsOf(who: string, rules: readonly PolicyRule[], namespace?: string): readonly Need[] {
  return rules.flatMap(({ apiGroups, resources, verbs, because }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = "", subresource] = path.split("/");
        return verbs.map(
          (verb): Need => ({
            ...{ who, verb, group, resource },
            ...(subresource !== undefined && { subresource }),
            ...(namespace !== undefined && { namespace }),
            ...(because !== undefined && { optional: because }),
          }),
        );
      }),
    ),
  );
}

/** Needs with the same key get the same answer. */
export function questionKey({ verb, group, resource, subresource, namespace }: Need): string {
  return JSON.stringify([verb, group, resource, subresource, namespace]);
}

/** `volumeattachments.storage.k8s.io`, `pods` */
export function kindName({ group, resource }: Need): string {
  return group === "" ? resource : `${resource}.${group}`;
}
