import type { PolicyRule } from "@csi-sidecars/host";

/** One verb on one resource that a component needs at the API server. */
export interface RequiredAccess {
  /** The component, or leader election. */
  readonly who: string;
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: in the whole cluster. */
  readonly namespace?: string;
  /** Set where a feature is lost without it, and not the component. */
  readonly optional?: string;
}

/** Takes rules apart into single verbs on single resources. */
export function requiredAccess(who: string, rules: readonly PolicyRule[], namespace?: string): readonly RequiredAccess[] {
  return rules.flatMap(({ apiGroups, resources, verbs, because }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = "", subresource] = path.split("/");
        return verbs.map(
          (verb): RequiredAccess => ({
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

/** Equal for what the API server is asked only once, however many components need it. */
export function accessKey({ verb, group, resource, subresource, namespace }: RequiredAccess): string {
  return JSON.stringify([verb, group, resource, subresource, namespace]);
}

/** `volumeattachments.storage.k8s.io`, `pods` */
export function groupResource({ group, resource }: RequiredAccess): string {
  return group === "" ? resource : `${resource}.${group}`;
}
