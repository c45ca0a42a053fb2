/** The three patch forms of the API server, as data. Strategic merge works on built-in kinds only. */
export type Patch =
  | { readonly type: "merge"; readonly body: object }
  | { readonly type: "strategic"; readonly body: object }
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] };

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

export const mergePatch = (body: object): Patch => ({ type: "merge", body });
export const strategicMergePatch = (body: object): Patch => ({ type: "strategic", body });
export const jsonPatch = (body: readonly JsonPatchOperation[]): Patch => ({ type: "json", body });

export const patchContentTypes: Readonly<Record<Patch["type"], string>> = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
};
