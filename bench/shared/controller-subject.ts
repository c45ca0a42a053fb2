import { ourProgram } from "./our-program.ts";

/** A controller under measurement, ours or upstream's. */
export interface ControllerSubject {
  readonly name: string;
  readonly program: string;
  readonly ours: boolean;
  /** Before all others. */
  readonly args: readonly string[];
}

/** How a subject may use the API server. */
export type Limit = "none" | "default";

/** Ours, in both of its forms, and upstream's where there is one. */
export function subjectsOf(
  component: string,
  dist: string,
  peer: string | undefined,
): readonly [ControllerSubject, ...ControllerSubject[]] {
  const ours = (program: string, args: readonly string[] = []): ControllerSubject => ({
    name: [program, ...args].join(" "),
    program: ourProgram(dist, program),
    ours: true,
    args,
  });
  return [
    ours("csi-sidecars", [`--controllers=${component}`]),
    ours(`csi-${component}`),
    ...(peer ? [{ name: `csi-${component}, upstream`, program: peer, ours: false, args: [] }] : []),
  ];
}

/** Its command line: a leader with default workers, whatever the limit. */
export function argumentsOf(subject: ControllerSubject, kubeconfig: string, csiAddress: string, limit: Limit): readonly string[] {
  return [
    ...subject.args,
    `--kubeconfig=${kubeconfig}`,
    `--csi-address=${csiAddress}`,
    "--leader-election",
    "--leader-election-namespace=default",
    ...(limit === "default" ? [] : subject.ours ? ["--kube-api-qps=-1"] : ["--kube-api-qps=100000", "--kube-api-burst=100000"]),
  ];
}
