import { ourProgram, type Peers } from "../shared/programs.ts";

/** A program with its flags. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** The sidecars of a driver on one node. */
export interface Subject {
  readonly name: string;
  readonly ours: boolean;
  /** The first one answers health checks. */
  readonly commands: readonly Command[];
}

/** The paths and ports a subject is started with. */
export interface Environment {
  readonly csiAddress: string;
  /** The folder that kubelet looks for sockets in. */
  readonly registry: string;
  /** Host and port for health checks. */
  readonly endpoint: string;
}

export const peerNames = ["livenessprobe", "csi-node-driver-registrar"] as const;

/** Ours in one process, ours in two, and upstream's two where they are. */
export function subjectsOf(dist: string, peers: Peers, { csiAddress, registry, endpoint }: Environment): readonly Subject[] {
  const driver = `--csi-address=${csiAddress}`;
  const probe = [driver, `--http-endpoint=${endpoint}`];
  const registrar = [driver, "--kubelet-registration-path=/var/lib/kubelet/csi.sock", `--plugin-registration-path=${registry}`];
  const two = (folder: (name: string) => string): Command[] => [
    { program: folder("livenessprobe"), args: probe },
    { program: folder("csi-node-driver-registrar"), args: registrar },
  ];
  const ours = (name: string) => ourProgram(dist, name);
  const both = [
    "--controllers=livenessprobe,node-driver-registrar",
    driver,
    `--livenessprobe-http-endpoint=${endpoint}`,
    "--node-driver-registrar-kubelet-registration-path=/var/lib/kubelet/csi.sock",
    `--node-driver-registrar-plugin-registration-path=${registry}`,
  ];
  const upstream: Subject = { name: "upstream, two processes", ours: false, commands: two((name) => peers.found.get(name) ?? "") };
  return [
    { name: "csi-sidecars, one process", ours: true, commands: [{ program: ours("csi-sidecars"), args: both }] },
    { name: "ours, two processes", ours: true, commands: two(ours) },
    ...(peers.missing.length === 0 ? [upstream] : []),
  ];
}
