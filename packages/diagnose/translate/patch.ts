import { Document } from "yaml";
import type { Translation } from "./translate-workload.ts";

/** Strategic merge patches, one document for each workload: for `kubectl patch --patch-file` and the `patches` of kustomize. */
export function renderPatches(translations: readonly Translation[]): string {
  return translations
    .flatMap(({ workload, parts }) => {
      if (parts.length === 0) return [];
      const { object, kind, name, namespace } = workload;
      const made = parts.map(({ replacement }) => new Document(replacement.container).toJS());
      const containers = [...made, ...parts.flatMap(({ replaced }) => replaced.map((old) => ({ name: old, $patch: "delete" })))];
      const patch = {
        apiVersion: object.apiVersion,
        kind,
        metadata: { name, ...(namespace && { namespace }) },
        spec: { template: { spec: { containers } } },
      };
      return [new Document(patch, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 })];
    })
    .join("---\n");
}
