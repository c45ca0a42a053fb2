import { ownValue } from "@csi-sidecars/base";
import { gatesOf } from "../gates/read-gates.ts";
import { camelCase, type Flag } from "./flag.ts";
import { componentsOf, type FlagOwner, type Program } from "./program.ts";
import type { Settings } from "./resolve.ts";
import { bareNames, canonical, flagsIn, processFlagsIn } from "./spellings.ts";
import { genericFlags, processFlagGroups } from "./standard-flags.ts";

/**
 * The text of `--help`: process-wide flags, then generic ones, then a section for each component. With settings it shows
 * the resulting values, so that `--help` at the end of a command line explains that command line.
 */
export function helpText(program: Program, settings?: Settings): string {
  const sections = [`Usage: ${program.name} [flags]`, program.about ?? "", commandsSection(program), ...processSections(program, settings)];
  if (program.form === "all-in-one") sections.push(genericSection(program));
  for (const component of componentsOf(program)) {
    const values = settings?.enabled.includes(component.name) ? settings.of(component) : undefined;
    const flags = Object.entries(flagsIn(program.form, component)).map(([name, flag]) => {
      const spelling = canonical(program.form, component.name, name);
      return entry(spelling, flag, settings && values ? effect(spelling, flag, settings, valueAt(values, name)) : initialText(flag));
    });
    sections.push(section(heading(program, component.name, settings), flags));
  }
  if ("feature-gates" in processFlagsIn(program)) sections.push(gatesSection(program));
  return `${sections.filter((text) => text !== "").join("\n\n")}\n`;
}

function commandsSection({ name, commands = {} }: Program): string {
  const width = Math.max(...Object.keys(commands).map((word) => word.length));
  return section(
    `Commands (${name} <command> --help explains one)`,
    Object.entries(commands).map(([word, about]) => `  ${word.padEnd(width)}  ${about}`),
  );
}

function processSections(program: Program, settings: Settings | undefined): readonly string[] {
  const offered = processFlagsIn(program);
  return Object.entries(processFlagGroups).map(([title, group]) =>
    section(
      title,
      Object.entries<Flag<unknown>>(group)
        .filter(([name]) => Object.hasOwn(offered, name))
        .map(([name, flag]) =>
          entry(name, flag, settings ? effect(name, flag, settings, valueAt(settings.process, name)) : initialText(flag)),
        ),
    ),
  );
}

function genericSection(program: Program): string {
  const entries = Object.entries(genericFlags).map(([name, { help }]) => {
    const followers = componentsOf(program).flatMap((component) =>
      Object.values(flagsIn(program.form, component))
        .filter((flag) => flag.follows === name)
        .map((flag) => ({ type: flag.type, text: `${component.name} ${flag.format(flag.initial)}` })),
    );
    if (!followers[0]) return "";
    return `  --${name}${typeText(followers[0].type)}\n        ${help} Defaults: ${followers.map(({ text }) => text).join(", ")}.`;
  });
  return section("For every controller that has them (--<controller>-<flag> overrides one)", entries);
}

function gatesSection(program: Program): string {
  const entries = Object.entries(gatesOf(program)).map(
    ([name, { initial, stage, help }]) => `  ${name} (${stage}, default ${initial})\n        ${help}`,
  );
  return section("Feature gates (--feature-gates=Name=true,Other=false; AllAlpha and AllBeta switch a whole stage)", entries);
}

function heading(program: Program, component: string, settings: Settings | undefined): string {
  if (program.form === "individual") return `Flags of ${program.name}`;
  if (!settings || settings.enabled.length === 0) return component;
  return settings.enabled.includes(component) ? `${component} (enabled)` : `${component} (not enabled)`;
}

function section(title: string, entries: readonly string[]): string {
  const shown = entries.filter((text) => text !== "");
  return shown.length > 0 ? `${title}:\n${shown.join("\n")}` : "";
}

function entry(name: string, flag: Flag<unknown>, value: string): string {
  if (flag.hidden) return "";
  const deprecated = flag.deprecated === undefined ? "" : ` Deprecated: ${flag.deprecated}.`;
  return `  --${name}${typeText(flag.type)}${value}\n        ${flag.help}${deprecated}`;
}

const typeText = (type: string) => (type === "bool" ? "" : ` ${type}`);

function initialText(flag: Flag<unknown>): string {
  const text = flag.format(flag.initial);
  return text === "" ? "" : ` (default ${text})`;
}

function effect(name: string, flag: Flag<unknown>, settings: Settings, value: unknown): string {
  const spelling = settings.setBy(name);
  return spelling === undefined ? initialText(flag) : ` (${flag.format(value)}, set by --${spelling})`;
}

function valueAt(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return ownValue(values, camelCase(name));
}

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
      const isOwn = Object.hasOwn(individual, name);
      return [
        code(`--${component.name}-${name}`),
        isOwn ? code(`--${name}`) : "–",
        others.map((other) => code(`--${component.name}-${other}`)).join(", "),
        ...facts(flag, isOwn),
      ];
    });
  return [["In csi-sidecars", "On its own", "Also", "Type", "Default", "Meaning"], Array(6).fill("---"), ...rows]
    .map((cells) => `| ${cells.map(cell).join(" | ")} |\n`)
    .join("");
}

function facts(flag: Flag<unknown>, isOwn: boolean): readonly string[] {
  const follows = flag.follows === undefined ? "" : ` Follows ${code(`--${flag.follows}`)}.`;
  const deprecated = flag.deprecated === undefined ? "" : ` Deprecated: ${flag.deprecated}.`;
  return [flag.type, defaults(flag, isOwn), `${flag.help}${follows}${deprecated}`];
}

function defaults({ initial, allInOne, format }: Flag<unknown>, isOwn: boolean): string {
  const own = format(initial);
  if (allInOne === undefined) return own === "" ? "" : code(own);
  return `${code(format(allInOne))}, on its own ${isOwn ? "" : "always "}${code(own)}`;
}

const code = (text: string) => `\`${text}\``;

const cell = (text: string) => text.replaceAll("|", "\\|");
