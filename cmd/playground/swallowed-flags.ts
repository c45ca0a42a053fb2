import { flags } from "./options.ts";
import { Refusal } from "./refusal.ts";

/** Refuses to start without the flags that npm took for its own, for want of `--` in front of them. */
export function refuseSwallowedFlags(env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event === undefined) return;
  const taken = Object.keys(flags).filter((name) => env[`npm_config_${name}`] !== undefined);
  if (taken.length === 0) return;
  const named = taken.map((name) => `--${name}`);
  throw new Refusal(`npm has taken ${named.join(" and ")} for itself: put "--" in between, as in npm start -- ${named[0]}`, 2);
}
