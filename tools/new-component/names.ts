import { UserError } from "../../cmd/playground/user-error.ts";

/** A new component's name in the spellings of the template. */
export interface Names {
  /** In `--controllers`: `volume-cloner`. */
  readonly kebab: string;
  /** `volumeCloner` */
  readonly camel: string;
  /** `VolumeCloner` */
  readonly pascal: string;
}

export const templateNames: Names = { kebab: "template-sidecar", camel: "templateSidecar", pascal: "TemplateSidecar" };

/** Refuses what cannot be a flag's prefix and a folder. */
export function namesOf(kebab: string, taken: readonly string[]): Names {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(kebab))
    throw new UserError(`${JSON.stringify(kebab)} is no name: write it like volume-cloner`, 2);
  if (taken.includes(kebab)) throw new UserError(`${kebab} exists already: choose another name`, 2);
  const pascal = kebab
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  return { kebab, camel: pascal.charAt(0).toLowerCase() + pascal.slice(1), pascal };
}

/** A text of the template with the names of a new component. */
export function renamed(text: string, { kebab, camel, pascal }: Names): string {
  return text.replaceAll(templateNames.kebab, kebab).replaceAll(templateNames.camel, camel).replaceAll(templateNames.pascal, pascal);
}
