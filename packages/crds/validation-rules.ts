import type { Schema, ValidationRule } from "./schema.ts";

export const ruled = (schema: Schema, ...rules: readonly ValidationRule[]): Schema => ({ ...schema, "x-kubernetes-validations": rules });

/** A value that cannot be replaced by another one. It may still be added or removed. */
export const immutable = (schema: Schema, message: string): Schema => ruled(schema, { rule: "self == oldSelf", message });

export const notEmpty = (schema: Schema, message: string): Schema => ruled(schema, { rule: "size(self) > 0", message });

/** A member that cannot be removed. */
export const requiredOnceSet = (member: string): ValidationRule => ({
  rule: `!has(oldSelf.${member}) || has(self.${member})`,
  message: `${member} is required once set`,
});

/** Presence counts: an empty text, list or object is present. */
export const exactlyOne = (a: string, b: string): ValidationRule => ({
  rule: `(has(self.${a}) && !has(self.${b})) || (!has(self.${a}) && has(self.${b}))`,
  message: `exactly one of ${a} and ${b} must be set`,
});

/** A reference to an object in a namespace. CEL reserves the word `namespace`, so rules write it escaped. */
export const named = (message: string): ValidationRule => ({ rule: "has(self.name) && has(self.__namespace__)", message });
