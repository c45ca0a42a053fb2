import { createRequire } from "node:module";

/**
 * A field of a protobuf message: number, name in JSON (empty when its members stand beside it there), type (a scalar's name or a message's),
 * whether it is a list or a map of them, and whether a zero is written to JSON too.
 */
export type MessageField = readonly [number: number, name: string, type: string, many: "" | "list" | "map", zero: 0 | 1];

const load = createRequire(import.meta.url);

/** The messages in which typed Go clients send built-in kinds, by the names of their schemas (`npm run generate:openapi`). Read when first asked for. */
export const publishedMessages = (): Readonly<Record<string, readonly MessageField[]>> => load("./gen/messages.json");
