/**
 * A field of a message with a value, in a notation of its own: `volume_id:1 s`. Types are s, b, u32, i64, `enum <Name>`, the name of a
 * message, `repeated <type>` and `map<key,type>`. The value of a message is its fields, that of a map its entries.
 */
export type Field = readonly [declaration: string, value: FieldValue];
export type FieldValue =
  | string
  | boolean
  | number
  | bigint
  | readonly Field[]
  | readonly FieldValue[]
  | ReadonlyMap<string | number, FieldValue>;

interface Declaration {
  readonly name: string;
  readonly number: number;
  readonly type: string;
}

function parse(declaration: string): Declaration {
  const [, name, number, type] = /^(\w+):(\d+) (.+)$/.exec(declaration)!;
  return { name: name!, number: Number(number), type: type! };
}

/** What the fields declare, with the fields of their messages: `target_portal:1 TargetPortal{target_address:1 s target_port:2 u32}`. */
export function declared(fields: readonly Field[]): string {
  return fields.map(([declaration, value]) => declaration + insides(parse(declaration).type, value)).join(" ");
}

function insides(type: string, value: FieldValue): string {
  if (value instanceof Map) return insides(/^map<\w+,(.+)>$/.exec(type)![1]!, [...value.values()][0]!);
  if (type.startsWith("repeated ")) return insides(type.slice("repeated ".length), (value as readonly FieldValue[])[0]!);
  return isScalar(type) ? "" : `{${declared(value as readonly Field[])}}`;
}

const isScalar = (type: string) => ["s", "b", "u32", "i64"].includes(type) || type.startsWith("enum ");

/** The bytes of a message, written from the encoding rules of protocol buffers and with none of the code under test. */
export function encode(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([declaration, value]) => {
      if (isDefault(value)) return [];
      const { number, type } = parse(declaration);
      if (value instanceof Map) {
        const [, keyType, valueType] = /^map<(\w+),(.+)>$/.exec(type)!;
        return [...value].map(([key, item]) =>
          one(number, "entry", [[`key:1 ${keyType}`, key] as Field, [`value:2 ${valueType}`, item] as Field]),
        );
      }
      if (type.startsWith("repeated "))
        return (value as readonly FieldValue[]).map((item) => one(number, type.slice("repeated ".length), item));
      return [one(number, type, value)];
    }),
  );
}

/** Defaults of single fields are not sent. */
const isDefault = (value: FieldValue) => value === "" || value === false || value === 0 || value === 0n;

function one(number: number, type: string, value: FieldValue): Buffer {
  if (type === "s") return delimited(number, Buffer.from(value as string, "utf8"));
  if (!isScalar(type)) return delimited(number, encode(value as readonly Field[]));
  return Buffer.concat([varint(BigInt(number << 3)), varint(BigInt.asUintN(64, BigInt(value as number | bigint | boolean)))]);
}

const delimited = (number: number, content: Buffer): Buffer =>
  Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(content.length)), content]);

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
