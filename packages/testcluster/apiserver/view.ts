import type { Kind } from "../kinds/kind.ts";
import type { JsonObject } from "../rules/json.ts";
import { coreEvent, eventsEvent } from "./convert-event.ts";

/** A stored object in the form in which a kind shows it. */
export const shownAs = (kind: Kind, object: JsonObject): JsonObject => (kind.viewOf === undefined ? object : eventsEvent(object));

/** An object that a client wrote through a kind, in the form in which it is stored. */
export const storedFrom = (kind: Kind, object: JsonObject): JsonObject => (kind.viewOf === undefined ? object : coreEvent(object));
