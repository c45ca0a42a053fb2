import { dictionary } from "@csi-sidecars/base";
import type { Kind } from "../../kinds/kind.ts";
import { isObject } from "../../rules/json.ts";
import { parseFieldSelector } from "../../rules/selectors/field-selector.ts";
import { parseLabelSelector } from "../../rules/selectors/label-selector.ts";
import { toServed } from "../conversion.ts";
import type { Revision } from "../store/revision.ts";
import type { ListOptions } from "./request-options.ts";

/** The objects that a list or watch selects. */
export interface Selection {
  readonly namespace: string | undefined;
  /** Whether labels or fields select too: then the number of remaining objects is unknown. */
  readonly filtered: boolean;
  matches(revision: Revision): boolean;
}

export function selectionOf(
  kind: Kind,
  namespace: string | undefined,
  options: Pick<ListOptions, "labelSelector" | "fieldSelector">,
): Selection {
  const prefix = namespace ? `${namespace}/` : "";
  const filtered = options.labelSelector !== "" || options.fieldSelector !== "";
  if (!filtered) return { namespace, filtered, matches: ({ key }) => key.startsWith(prefix) };
  const byLabels = parseLabelSelector(options.labelSelector);
  const byFields = parseFieldSelector(kind, options.fieldSelector);
  return {
    namespace,
    filtered,
    matches: ({ key, object }) => key.startsWith(prefix) && byLabels(labelsOf(object)) && byFields(toServed(kind, object)),
  };
}

function labelsOf(object: Revision["object"]): Readonly<Record<string, string>> {
  const labels = dictionary<string>();
  const { metadata } = object;
  if (!isObject(metadata) || !isObject(metadata.labels)) return labels;
  for (const [name, value] of Object.entries(metadata.labels)) if (typeof value === "string") labels[name] = value;
  return labels;
}
