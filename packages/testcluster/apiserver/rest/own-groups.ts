import { builtInKinds } from "../../kinds/built-in.ts";
import { reviewKinds } from "./reviews.ts";

const ownGroups: ReadonlySet<string> = new Set([...builtInKinds, ...reviewKinds].map(({ group }) => group));

/** The server's own groups answer with a Status for what they do not have; in all others, also those of custom kinds, there is just no page. */
export const isOwnGroup = (group: string): boolean => ownGroups.has(group);
