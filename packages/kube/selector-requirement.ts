/** One requirement of a label selector or node selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether an object's value under the requirement's key matches. An unknown operator or unreadable number does not match. */
export function meetsRequirement({ operator, values = [] }: Omit<Requirement, "key">, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const [have, limit] = [wholeNumber(value), wholeNumber(values[0])];
      if (have === undefined || limit === undefined) return false;
      return operator === "Gt" ? have > limit : have < limit;
    }
    default:
      return false;
  }
}

/** The number that `Gt` and `Lt` compare. */
export function wholeNumber(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[-+]?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
}
