/** The part of a structural OpenAPI v3 schema that our definitions use. */
export type Schema = {
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "boolean" | "integer";
  readonly format?: "date-time" | "int64";
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-list-type"?: "atomic";
  readonly "x-kubernetes-map-type"?: "atomic";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
};

/** A CEL rule. The message is what users see when it is broken. */
export type ValidationRule = {
  readonly rule: string;
  readonly message: string;
};

// Each builder takes first what `kubectl explain` says about the field.

export const text = (description: string): Schema => ({ description, type: "string" });
export const flag = (description: string): Schema => ({ description, type: "boolean" });
export const dateTime = (description: string): Schema => ({ description, type: "string", format: "date-time" });
export const int64 = (description: string): Schema => ({ description, type: "integer", format: "int64" });
export const choice = (description: string, ...values: readonly string[]): Schema => ({ description, type: "string", enum: values });
export const list = (description: string, items: Schema): Schema => ({ description, type: "array", items });
export const textMap = (description: string): Schema => ({
  description,
  type: "object",
  additionalProperties: { type: "string" },
});

/** A number of bytes such as `1Gi`. A JSON integer is accepted too. */
export const quantity = (description: string): Schema => ({
  description,
  type: "string",
  pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  "x-kubernetes-int-or-string": true,
});

export function object(description: string, properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { description, type: "object", ...(required.length > 0 && { required }), properties };
}

/** A list that an apply replaces as a whole. */
export const atomicList = (description: string, items: Schema): Schema => ({
  ...list(description, items),
  "x-kubernetes-list-type": "atomic",
});

/** An object that an apply replaces as a whole. */
export const atomic = (schema: Schema): Schema => ({ ...schema, "x-kubernetes-map-type": "atomic" });
