import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { whyCommand } from "@csi-sidecars/diagnose/why";
import type { Cluster } from "@csi-sidecars/testcluster";
import { chooseProgram } from "../../../cmd/csi-sidecars/choose-program.ts";
import { responsibleComponents } from "../../../cmd/csi-sidecars/commands.ts";

const { program } = chooseProgram("csi-sidecars", []);

export interface Answer {
  readonly state: string;
  readonly summary: string;
  readonly steps: readonly {
    readonly state: string;
    readonly what: string;
    readonly evidence: readonly { readonly object: string; readonly field: string; readonly value: string; readonly since?: string }[];
    readonly remedy?: string;
  }[];
  readonly unreadable: readonly string[];
}

/** What `csi-sidecars why -o json` says of an object, as soon as it says what is wanted. */
export function why(cluster: Cluster, object: string, wanted: (answer: Answer) => boolean): Promise<Answer> {
  const files = { read: () => cluster.kubeconfig(cluster.adminToken) };
  const argv = [...object.split(" "), "-o", "json", "--kubeconfig=/kubeconfig"];
  let last = "";
  return until(
    () => `${object}: ${last}`,
    async () => {
      const { stdout } = await whyCommand(argv, program, { env: {}, clock: systemClock, files }, await responsibleComponents());
      last = stdout;
      const answer: Answer = JSON.parse(stdout);
      return wanted(answer) && answer;
    },
  );
}

/** The step that the first line of the answer is about. */
export function blocking({ steps, summary }: Answer): Answer["steps"][number] | undefined {
  return steps.find(({ what }) => what === summary);
}
