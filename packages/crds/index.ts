export type { CustomResourceDefinition, CustomResourceVersion } from "./definition.ts";
export { populatorDefinitions } from "./populator/volume-populator.ts";
export type { Schema, ValidationRule } from "./schema.ts";
export { snapshotDefinitions } from "./snapshot/snapshot-definitions.ts";
