/**
 * What must be known of a message to log it: the names on the wire and which fields are secret. The table in
 * `gen/descriptors.ts` is written from the compiled .proto files, so that a field marked there is never forgotten here.
 */
export interface Descriptors {
  /** Fields in the order of their numbers, by the message's full name (`csi.v1.CreateVolumeRequest`). */
  readonly messages: Readonly<Record<string, readonly FieldDescriptor[]>>;
  /** The names of an enum's numbers, by the enum's full name. */
  readonly enums: Readonly<Record<string, Readonly<Record<number, string>>>>;
}

export interface FieldDescriptor {
  readonly number: number;
  /** As in the .proto: `capacity_range`. */
  readonly name: string;
  /** As in the generated types: `capacityRange`. */
  readonly property: string;
  /** Of the values, where the field is a list or a map. A wrapper (`google.protobuf.BoolValue`) is a bare value in the generated types. */
  readonly kind: "string" | "bool" | "number" | "bytes" | "enum" | "message" | "wrapper";
  /** Full name of the enum, message or wrapper. */
  readonly type?: string;
  readonly many?: "list" | "map";
  /** Property of the union that holds this field, where it is the arm of a oneof. */
  readonly oneof?: string;
  /** Marked with the option `csi_secret`. */
  readonly secret?: true;
}
