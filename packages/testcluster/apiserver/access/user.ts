import type { User } from "../../rules/authorize.ts";

export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Everybody who has proven to be somebody is also in this group. */
export const authenticated = (name: string, groups: readonly string[]): User => ({
  name,
  groups: groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"],
});
