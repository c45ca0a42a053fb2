/** A change to one object as data: a JSON merge patch. The version the plan was made from is added where it is carried out. */
export interface PlannedPatch<Target extends string> {
  readonly of: Target;
  readonly part: "object" | "status";
  readonly patch: object;
}

/** What users are to be told about an object. */
export interface PlannedEvent<Target extends string> {
  readonly about: Target;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}
