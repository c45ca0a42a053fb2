import { ownValue, stringifyExactJson } from "@csi-sidecars/base";
import type { Kind } from "../../kinds/kind.ts";
import { at, type JsonObject, stringAt } from "../../rules/json.ts";
import { groupResource } from "../../rules/kind.ts";
import { clusterColumns, eventColumns } from "./cluster-columns.ts";
import { age, type Column, nameColumn, since } from "./column.ts";
import { podColumns } from "./pod-columns.ts";
import { storageColumns } from "./storage-columns.ts";
import { workloadColumns } from "./workload-columns.ts";

const builtIn: Readonly<Record<string, readonly Column[]>> = {
  ...clusterColumns,
  ...storageColumns,
  ...workloadColumns,
  events: eventColumns,
  pods: podColumns,
};

/** The columns of a kind. Cells are read from stored objects, whatever the served version. */
export function columnsOf(kind: Kind): readonly Column[] {
  const known = ownValue(builtIn, kind.viewOf ?? groupResource(kind));
  if (known) return known;
  if (!kind.custom) return [nameColumn(), age];
  const printed = kind.printerColumns && kind.printerColumns.length > 0 ? kind.printerColumns : [customAge];
  return [nameColumn(), ...printed.map(customColumn)];
}

const customAge: JsonObject = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

function customColumn(definition: JsonObject): Column {
  const read = jsonPath(stringAt(definition, "jsonPath"));
  const type = columnType(stringAt(definition, "type"));
  return {
    name: stringAt(definition, "name"),
    type,
    format: "",
    priority: typeof definition.priority === "number" ? definition.priority : 0,
    cell: (object, now) => {
      const value = read(object);
      if (value === undefined || value === null) return null;
      if (type === "date") return since(String(value), now);
      return type === "string" && typeof value !== "string" ? stringifyExactJson(value) : value;
    },
  };
}

function columnType(text: string): Column["type"] {
  return text === "integer" || text === "boolean" || text === "number" || text === "date" ? text : "string";
}

/** Reads a simple path such as `.status.boundVolumeSnapshotContentName` or `.metadata.labels['a.b/c']`. */
export function jsonPath(path: string): (object: unknown) => unknown {
  const names = [...path.matchAll(/\.([^.[\]]+)|\['([^']+)'\]/g)].map(([, plain, quoted]) => plain ?? quoted ?? "");
  return (object) => at(object, ...names);
}
