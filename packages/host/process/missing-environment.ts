import type { Environment } from "@csi-sidecars/kube";
import type { Settings } from "../flags/resolve.ts";
import { canonical } from "../flags/spellings.ts";
import type { Plan } from "./plan.ts";
import type { SidecarProgram } from "./sidecar-program.ts";

/** What the enabled components need of the environment and do not find there, one message each. */
export function missingEnvironment({ form }: SidecarProgram, { enabled }: Plan, settings: Settings, env: Environment): readonly string[] {
  return enabled.flatMap((one) => {
    const spelled = (flag: string) => canonical(form, one.name, flag);
    return one.missingEnvironment?.(settings.of(one), { env, spelled }) ?? [];
  });
}
