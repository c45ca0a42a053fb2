import { existsSync } from "node:fs";
import { join } from "node:path";

/** Something that attaches volumes. */
export interface Subject {
  readonly name: string;
  readonly program: string;
  readonly ours: boolean;
  /** Before all others. */
  readonly args: readonly string[];
}

/** How a subject may use the API server. */
export type Limit = "none" | "default";

/** Ours, in both of its forms, and upstream's where there is one. */
export function subjectsOf(dist: string, peer: string | undefined): readonly Subject[] {
  const ours = (program: string, args: readonly string[] = []): Subject => {
    const path = join(dist, program);
    if (!existsSync(path)) throw new Error(`${path} does not exist: run \`npm run build\` first`);
    return { name: [program, ...args].join(" "), program: path, ours: true, args };
  };
  return [
    ours("csi-sidecars", ["--controllers=attacher"]),
    ours("csi-attacher"),
    ...(peer ? [{ name: "csi-attacher, upstream", program: peer, ours: false, args: [] }] : []),
  ];
}

/** Its command line: a leader with default workers, whatever the limit. */
export function argumentsOf(subject: Subject, kubeconfig: string, csiAddress: string, limit: Limit): readonly string[] {
  return [
    ...subject.args,
    `--kubeconfig=${kubeconfig}`,
    `--csi-address=${csiAddress}`,
    "--leader-election",
    "--leader-election-namespace=default",
    ...(limit === "default" ? [] : subject.ours ? ["--kube-api-qps=-1"] : ["--kube-api-qps=100000", "--kube-api-burst=100000"]),
  ];
}
