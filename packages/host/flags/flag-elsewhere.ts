import type { Program } from "./program.ts";
import { flagsIn } from "./spellings.ts";
import { processFlags } from "./standard-flags.ts";

/** Where a flag belongs that a program does not have, for users who have mixed up two sidecars; `undefined` where none has it. */
export function flagElsewhere(program: Program, name: string): string | undefined {
  return program.form === "all-in-one" ? withAnotherPrefix(program, name) : inAnotherProgram(program, name);
}

type Form<Name extends Program["form"]> = Extract<Program, { form: Name }>;

function withAnotherPrefix({ components }: Form<"all-in-one">, name: string): string | undefined {
  const given = components.find((component) => name.startsWith(`${component.name}-`));
  if (!given) return undefined;
  const bare = name.slice(given.name.length + 1);
  const owners = components.filter((component) => Object.hasOwn(flagsIn("all-in-one", component), bare));
  if (owners.length > 0) return `did you mean ${owners.map((owner) => `--${owner.name}-${bare}`).join(" or ")}?`;
  return Object.hasOwn(processFlags, bare) ? `--${bare} applies to all controllers` : undefined;
}

function inAnotherProgram({ name: program, others = [] }: Form<"individual">, name: string): string | undefined {
  const owners = others.filter(({ owner }) => Object.hasOwn(flagsIn("individual", owner), name)).map((other) => other.program);
  if (owners.length > 0) return `a flag of ${owners.join(" and ")}, not of ${program}`;
  return Object.hasOwn(processFlags, name) ? `a flag of csi-sidecars, not of ${program}` : undefined;
}
