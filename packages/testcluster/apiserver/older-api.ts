import { groupResourceOf, type Resource } from "@csi-sidecars/kube";
import type { Kind } from "../kinds/kind.ts";
import { groupResource } from "../rules/kind.ts";

/** What an API server lacks that is older than the one that the embedded server imitates, or that has features switched off. */
export interface OlderApi {
  /** Built-in kinds that it does not serve. */
  readonly without?: readonly Resource[];
  /** Built-in kinds that it serves in v1beta1 instead. */
  readonly onlyBeta?: readonly Resource[];
  /** Whether a watch may begin with a list (`sendInitialEvents`); yes unless told. */
  readonly watchList?: boolean;
}

/** The kinds that such a server has. */
export function kindsOfOlder(kinds: readonly Kind[], { without = [], onlyBeta = [] }: OlderApi): readonly Kind[] {
  const isOneOf = (kind: Kind, resources: readonly Resource[]) => resources.some((one) => groupResourceOf(one) === groupResource(kind));
  return kinds.filter((kind) => !isOneOf(kind, without)).map((kind) => (isOneOf(kind, onlyBeta) ? { ...kind, version: "v1beta1" } : kind));
}
