import type { Flag } from "./flag.ts";
import type { FlagOwner } from "./program.ts";
import { bareNames, flagsIn } from "./spellings.ts";

/**
 * A component's flags as a table for its documentation: the name in the all-in-one and in the individual program, other
 * spellings, type, default, meaning.
 */
export function flagsTable(component: FlagOwner): string {
  const individual = flagsIn("individual", component);
  const rows = Object.entries(component.flags)
    .filter(([, flag]) => !flag.hidden)
    .map(([name, flag]) => {
      const [, ...others] = bareNames(name, flag);
      const own = name in individual ? code(`--${name}`) : "–";
      return [
        code(`--${component.name}-${name}`),
        own,
        others.map((other) => code(`--${component.name}-${other}`)).join(", "),
        ...facts(flag),
      ];
    });
  return [["In csi-sidecars", "On its own", "Also", "Type", "Default", "Meaning"], Array(6).fill("---"), ...rows]
    .map((cells) => `| ${cells.map(cell).join(" | ")} |\n`)
    .join("");
}

function facts(flag: Flag<unknown>): readonly string[] {
  const initial = flag.format(flag.initial);
  const follows = flag.follows === undefined ? "" : ` Follows ${code(`--${flag.follows}`)}.`;
  const deprecated = flag.deprecated === undefined ? "" : ` Deprecated: ${flag.deprecated}.`;
  return [flag.type, initial === "" ? "" : code(initial), `${flag.help}${follows}${deprecated}`];
}

const code = (text: string) => `\`${text}\``;

const cell = (text: string) => text.replaceAll("|", "\\|");
