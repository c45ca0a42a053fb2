import type { Kind } from "../../kinds/kind.ts";
import type { ListMeta } from "../rest/encode.ts";
import type { Revision } from "../store/revision.ts";
import { columnsOf } from "./columns.ts";

/** Whether the client, as kubectl does for printing, prefers a Table over objects. */
export function wantsTable(accept: string | undefined): boolean {
  const [first = ""] = (accept ?? "").split(",");
  const parameters = first.split(";").map((part) => part.trim());
  return parameters[0] === "application/json" && parameters.includes("as=Table") && parameters.includes("v=v1");
}

/** Objects as a meta.k8s.io Table: columns, and one row of cells for each object with its metadata. */
export function tableText(kind: Kind, metadata: Partial<ListMeta>, items: readonly Revision[], now: number): string {
  const columns = columnsOf(kind);
  return JSON.stringify({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: columns.map(({ name, type, priority }) => ({
      name,
      type,
      format: name === "Name" ? "name" : "",
      description: "",
      priority,
    })),
    rows: items.map(({ object }) => ({
      cells: columns.map((column) => column.cell(object, now)),
      object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata },
    })),
  });
}
