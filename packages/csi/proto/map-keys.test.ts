import { expect, test } from "bun:test";
import { withInheritedNames } from "@csi-sidecars/base/testing";
import * as csi from "../gen/csi.ts";
import { descriptors } from "../gen/descriptors.ts";

interface Codec {
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  fromPartial(partial: object): object;
}

const codecs: ReadonlyMap<string, Codec> = new Map(Object.entries(csi as object));
const mapFields = Object.entries(descriptors.messages).flatMap(([message, fields]) =>
  fields
    .filter(({ many }) => many === "map")
    .map(({ property }) => [message.replace("csi.v1.", "").replaceAll(".", "_"), property] as const),
);

test("the protocol has maps", () => expect(mapFields.length).toBeGreaterThan(20));

test.each(mapFields)("%s.%s keeps keys that every object inherits, and contains no others", (message, property) => {
  const codec = codecs.get(message);
  if (!codec) throw new Error(`no codec for ${message}`);
  const given = { [property]: withInheritedNames("given") };
  const copied = codec.fromPartial(given);
  expect(new Map(Object.entries(copied)).get(property)).toEqual(withInheritedNames("given"));
  const received = codec.decode(codec.encode(copied).finish());
  expect(new Map(Object.entries(received)).get(property)).toEqual(withInheritedNames("given"));
  const empty = new Map(Object.entries(codec.decode(new Uint8Array()))).get(property);
  expect("constructor" in empty).toBe(false);
});
