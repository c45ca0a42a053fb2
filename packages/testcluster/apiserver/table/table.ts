import { stringifyExactJson } from "@csi-sidecars/base";
import { apiVersionOfKind, type Kind } from "../../kinds/kind.ts";
import type { JsonObject } from "../../rules/json.ts";
import { invalidKind } from "../../rules/status.ts";
import { toServed } from "../conversion.ts";
import { type ListMeta, partialObject } from "../rest/encoding.ts";
import type { Revision } from "../store/revision.ts";
import type { Column } from "./column.ts";
import { columnsOf } from "./columns.ts";

/** What a row includes of its object besides the cells: `--sort-by` needs all of it. */
export type IncludedObject = "None" | "Metadata" | "Object";

export function includedObject(query: URLSearchParams): IncludedObject {
  const asked = query.get("includeObject") || "Metadata";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  const message = `Unsupported value: ${JSON.stringify(asked)}: supported values: "Metadata", "None", "Object"`;
  throw invalidKind("meta.k8s.io", "TableOptions", "", [{ reason: "FieldValueNotSupported", field: "includeObject", message }]);
}

/** How objects become rows. */
export interface TableForm {
  readonly kind: Kind;
  readonly include: IncludedObject;
  readonly now: number;
}

/** Objects as a meta.k8s.io Table: columns, and one row of cells for each object. */
export function tableText(form: TableForm, metadata: Partial<ListMeta>, items: readonly Revision[]): string {
  return tableOfRows(
    form,
    metadata,
    items.map(({ object }) => object),
    true,
  );
}

/** One object of a watch as a Table of one row; only the first one of a watch names the columns. */
export function rowText(form: TableForm, object: JsonObject, version: number, withColumns: boolean): string {
  return tableOfRows(form, { resourceVersion: String(version) }, [object], withColumns);
}

function tableOfRows(form: TableForm, metadata: Partial<ListMeta>, objects: readonly JsonObject[], withColumns: boolean): string {
  const columns = columnsOf(form.kind);
  return stringifyExactJson({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: withColumns ? columns.map(definition) : null,
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, form.now)),
      ...(form.include !== "None" && { object: rowObject(form, object) }),
    })),
  });
}

const definition = ({ name, type, format, priority }: Column): object => ({ name, type, format, description: "", priority });

function rowObject({ kind, include }: TableForm, object: JsonObject): object {
  if (include === "Object") return { kind: kind.kind, apiVersion: apiVersionOfKind(kind), ...toServed(kind, object) };
  return partialObject("meta.k8s.io/v1", object);
}
