import type { Component, Flag } from "@csi-sidecars/host";
import { givenFlags, individualFlag, Misuse, normalForm } from "@csi-sidecars/host/sub-commands";
import { expand, type Fields, hasUnknown, listAt, staticVariables, textAt } from "./container.ts";
import { withoutFormerFlags } from "./former-flags.ts";
import type { Recognised } from "./recognise.ts";

/** A flag as a legacy sidecar has it. */
export interface Given {
  readonly flag: Flag<unknown>;
  /** As it was written, with references to variables; the last one of a repeated flag. */
  readonly text: string;
  /** What it comes down to, in one notation: to compare. */
  readonly value: string;
  /** Comments of the arguments. */
  readonly comments: readonly string[];
}

/** A container that csi-sidecars replaces. */
export interface LegacySidecar {
  readonly component: Component;
  /** Of the container. */
  readonly name: string;
  readonly container: Fields;
  readonly version?: string;
  readonly given: ReadonlyMap<string, Given>;
  /** Its static variables. */
  readonly variables: ReadonlyMap<string, string>;
  /** What cannot be understood of its command line. */
  readonly problems: readonly string[];
}

type Sidecar = Extract<Recognised, { is: "sidecar" }>;

/** Reads the command line of a legacy sidecar. `comments`: of each argument, by its place. */
export function readSidecar(
  container: Fields,
  { component, words, version }: Sidecar,
  comments: ReadonlyMap<string, string>,
): LegacySidecar {
  const variables = staticVariables(container);
  const problems: string[] = [];
  const given = new Map<string, Given>();
  for (const [name, texts] of textsOf(component, words, problems)) {
    const flag = individualFlag(component, name);
    if (!flag) continue;
    const expanded = texts.map((text) => expand(text, variables));
    const reading = normalForm(flag, expanded);
    if ("problem" in reading && !expanded.some((text) => text.includes("$(")))
      problems.push(`--${name}=${texts.at(-1)} cannot be understood (${reading.problem}): it is left out`);
    else {
      const value = "value" in reading ? reading.value : expanded.join(",");
      const comment = comments.get(name);
      // Variables of different containers may differ in value: the text is only kept where it names none, or one that comes along.
      given.set(name, {
        flag,
        text: flag.merge && texts.length > 1 ? value : (texts.at(-1) ?? ""),
        value,
        comments: comment ? [comment] : [],
      });
    }
  }
  return {
    component,
    name: textAt(container, "name") ?? component.name,
    container,
    given,
    variables,
    problems,
    ...(version && { version }),
  };
}

function textsOf(component: Component, words: readonly string[], problems: string[]): ReadonlyMap<string, readonly string[]> {
  try {
    const { texts, unknown } = givenFlags(component, withoutFormerFlags(component, words));
    for (const flag of unknown)
      problems.push(
        `${flag.join(" ")} is no flag of ${component.standalone}${component.upstreamVersion ? ` ${component.upstreamVersion}` : ""}: it is left out`,
      );
    return texts;
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    problems.push(`its arguments cannot be understood (${error.message}): none is carried over`);
    return new Map();
  }
}

/** Whether a sidecar takes part in an election. Of one whose manifest does not tell, as in `--leader-election=$(ELECT)`, it may. */
export function mayElect({ given }: LegacySidecar): boolean {
  const value = given.get("leader-election")?.value ?? "false";
  return value === "true" || hasUnknown(value);
}

/** Which socket a sidecar connects to, by the volume that it is in: containers mount one volume in different places. */
export function socketOf({ component, given, container }: LegacySidecar): string | undefined {
  if (component.driver === "none") return undefined;
  const flag = individualFlag(component, "csi-address");
  const address = given.get("csi-address")?.value ?? flag?.format(flag.initial) ?? "";
  const path = address.replace(/^unix:(\/\/)?/, "").replaceAll("\\", "/");
  const mount = listAt(container, "volumeMounts")
    .map((each) => ({
      volume: textAt(each, "name") ?? "",
      at: (textAt(each, "mountPath") ?? "").replaceAll("\\", "/").replace(/\/$/, ""),
      sub: textAt(each, "subPath") ?? "",
    }))
    .filter(({ at }) => at !== "" && path.startsWith(`${at}/`))
    .toSorted((a, b) => b.at.length - a.at.length)[0];
  if (!mount) return path;
  return [`volume ${mount.volume}`, mount.sub, path.slice(mount.at.length + 1)].filter((part) => part !== "").join("/");
}
