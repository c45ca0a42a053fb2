import type { Grant } from "../fields.ts";
import type { DataSource } from "./data-source.ts";

/** Whether one of the grants, which are those of the source's namespace, lets claims of `claimNamespace` refer to the source. */
export function isGranted(grants: readonly Grant[], source: DataSource, claimNamespace: string): boolean {
  return grants.some(
    ({ spec }) =>
      spec?.from?.some(({ group, kind, namespace }) => group === "" && kind === "PersistentVolumeClaim" && namespace === claimNamespace) &&
      spec.to?.some(({ group, kind, name }) => kind === source.kind && group === source.apiGroup && (!name || name === source.name)),
  );
}
