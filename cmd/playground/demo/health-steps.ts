import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { HostpathControl } from "../driver/driver.ts";
import type { Playground } from "../playground.ts";
import { boundVolume, eventAbout, inDefault, type Step } from "./step.ts";

const run = promisify(execFile);

const claimName = "data";
const message = "the disk is failing";
const recovered = "The Volume returns to the healthy state";

/** The driver reports that something is wrong with the volume of a claim, and later that all is well. Whoever looks at the claim sees both. */
export function volumeAilsAndRecovers(playground: Playground, control: HostpathControl): readonly Step[] {
  const volume = async () => (await boundVolume(playground, claimName)) ?? "";
  return [
    {
      title: `Let the driver report that something is wrong with the volume of the claim "${claimName}"`,
      act: async () => control.setAbnormal(await volume(), message),
      expected: `an event about the claim, and "why pvc" to repeat it`,
      async check() {
        if ((await eventAbout(playground, claimName, "VolumeConditionAbnormal")) !== message) return undefined;
        const said = (await explain(playground)).includes(message);
        return said ? `VolumeConditionAbnormal: ${message}; "why pvc" says so too` : undefined;
      },
    },
    {
      title: "Let it report that all is well again",
      act: async () => control.resetCondition(await volume()),
      expected: `an event about the claim, and "why pvc" to find nothing wrong`,
      async check() {
        if ((await eventAbout(playground, claimName, "VolumeConditionNormal")) !== recovered) return undefined;
        const said = (await explain(playground)).includes(message);
        return said ? undefined : `VolumeConditionNormal: ${recovered}; "why pvc" finds nothing wrong`;
      },
    },
  ];
}

/** What `csi-sidecars why` says of the claim. */
async function explain({ programs, kubeconfig }: Playground): Promise<string> {
  const { namespace, name } = inDefault(claimName);
  const { stdout } = await run(programs.sidecars, ["why", "pvc", `${namespace}/${name}`], { env: { KUBECONFIG: kubeconfig } });
  return stdout;
}
