export type * from "./client/client.ts";
export { type JsonPatchOperation, jsonPatch, mergePatch, type Patch, patchContentTypes, strategicMergePatch } from "./client/patch.ts";
export { StatusError } from "./client/status-error.ts";
export * from "./object.ts";
export * from "./resource.ts";
export * from "./resources.ts";
export * from "./transport/transport.ts";
