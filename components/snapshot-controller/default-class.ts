import { ownValue, type Result } from "@csi-sidecars/base";

interface AnyClass {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string | undefined>> };
  readonly driver?: string;
}

interface Wanted {
  readonly driver: string;
  /** The annotation that marks default classes of this kind. */
  readonly annotation: string;
  readonly kind: "snapshot" | "group snapshot";
}

/** The class of a snapshot that names none: the only default class of the driver that has the volume. */
export function defaultClass<C extends AnyClass>(classes: readonly C[], { driver, annotation, kind }: Wanted): Result<C> {
  const found = classes.filter((each) => ownValue(each.metadata.annotations ?? {}, annotation) === "true" && each.driver === driver);
  const [only] = found;
  if (!only) return { error: `cannot find default ${kind} class` };
  return found.length > 1 ? { error: `${found.length} default snapshot classes were found` } : { value: only };
}
