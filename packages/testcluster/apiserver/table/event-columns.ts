import { at, type JsonObject, stringAt } from "../../rules/json.ts";
import { type Column, column, member, nameColumn, since, wide } from "./column.ts";

const firstSeen = (event: JsonObject): string => stringAt(event, "firstTimestamp") || stringAt(event, "eventTime");

const lastSeen = (event: JsonObject): string =>
  stringAt(event, "series", "lastObservedTime") || stringAt(event, "lastTimestamp") || firstSeen(event);

/** What is printed of events, whichever group they are read through. */
export const eventColumns: readonly Column[] = [
  column("Last Seen", (event, now) => since(lastSeen(event), now)),
  member("Type", ["type"]),
  member("Reason", ["reason"]),
  column("Object", (event) => {
    const kind = stringAt(event, "involvedObject", "kind").toLowerCase();
    const name = stringAt(event, "involvedObject", "name");
    return name === "" ? kind : `${kind}/${name}`;
  }),
  wide(member("Subobject", ["involvedObject", "fieldPath"])),
  wide(
    column("Source", (event) => {
      const component = stringAt(event, "source", "component") || stringAt(event, "reportingComponent");
      const instance = stringAt(event, "source", "host") || stringAt(event, "reportingInstance");
      return instance === "" ? component : `${component}, ${instance}`;
    }),
  ),
  column("Message", (event) => stringAt(event, "message").trim()),
  wide(column("First Seen", (event, now) => since(firstSeen(event), now))),
  wide(column("Count", (event) => at(event, "series", "count") ?? (event.count || 1))),
  wide(nameColumn()),
];
