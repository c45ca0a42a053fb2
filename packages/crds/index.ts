export type { CustomResourceDefinition, CustomResourceVersion } from "./definition.ts";
export type { Schema, ValidationRule } from "./schema.ts";
export { snapshotDefinitions } from "./snapshot/snapshot-definitions.ts";
