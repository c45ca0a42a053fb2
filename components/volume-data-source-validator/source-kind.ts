import type { Claim, Populator } from "./fields.ts";

/** A kind of data sources, as a claim names it and a populator registers it. */
export interface SourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
}

/** For indexes: names of groups and kinds have no slash. Upper and lower case differ. */
export const sourceKindKey = ({ group, kind }: SourceKind): string => `${group}/${kind}`;

/** The kind of the data source of a claim, if it has one. A group that is null is the core group. */
export function sourceKindOf({ spec }: Claim): SourceKind | undefined {
  const source = spec?.dataSourceRef;
  return source && { group: source.apiGroup ?? "", kind: source.kind };
}

/** The kind that a populator serves; `undefined` for a malformed object, which an old definition of the kind lets pass. */
export function registeredKind({ sourceKind }: Populator): SourceKind | undefined {
  const { group, kind }: { readonly group?: unknown; readonly kind?: unknown } = sourceKind ?? {};
  return typeof group === "string" && typeof kind === "string" && kind !== "" ? { group, kind } : undefined;
}
