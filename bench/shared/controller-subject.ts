import { ourProgram } from "./programs.ts";

/** A controller under measurement, ours or upstream's. */
export interface ControllerSubject {
  readonly name: string;
  readonly program: string;
  readonly ours: boolean;
  /** Passed before all other arguments. */
  readonly args: readonly string[];
  /** `false`: it has nothing to do with a driver. */
  readonly driver?: false;
}

/** The client-side rate limit of a subject. */
export type Limit = "none" | "default";

/** Ours, as all-in-one and as individual program, and upstream's where it is there. */
export function subjectsOf(
  component: string,
  dist: string,
  peer: string | undefined,
  individual = `csi-${component}`,
): readonly [ControllerSubject, ...ControllerSubject[]] {
  const ours = (program: string, args: readonly string[] = []): ControllerSubject => ({
    name: [program, ...args].join(" "),
    program: ourProgram(dist, program),
    ours: true,
    args,
  });
  return [
    ours("csi-sidecars", [`--controllers=${component}`]),
    ours(individual),
    ...(peer ? [{ name: `${individual}, upstream`, program: peer, ours: false, args: [] }] : []),
  ];
}

/** The command line of a subject: leader election on, default workers. */
export function argumentsOf(subject: ControllerSubject, kubeconfig: string, csiAddress: string, limit: Limit): readonly string[] {
  return [
    ...subject.args,
    `--kubeconfig=${kubeconfig}`,
    ...(subject.driver === false ? [] : [`--csi-address=${csiAddress}`]),
    "--leader-election",
    "--leader-election-namespace=default",
    ...(limit === "default" ? [] : subject.ours ? ["--kube-api-qps=-1"] : ["--kube-api-qps=100000", "--kube-api-burst=100000"]),
  ];
}

/** The subject with further flags. */
export const withFlags = (subject: ControllerSubject, ...flags: readonly string[]): ControllerSubject => ({
  ...subject,
  args: [...subject.args, ...flags],
});
