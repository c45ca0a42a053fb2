import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startEtcd } from "../../../packages/testcluster/real/etcd.ts";
import { type Program, startProgram, waitForUrl } from "../../../packages/testcluster/real/process.ts";
import type { Access } from "./access.ts";
import { apiServerUrl, nodeAddress, serviceRange } from "./addresses.ts";
import type { NodeFiles } from "./files.ts";
import type { ProgramPaths } from "./program-paths.ts";

export interface ControlPlane {
  /** Kills the API server and starts it again. */
  restartApiServer(): Promise<void>;
}

/** Starts etcd, the API server, all controllers and the scheduler. */
export async function startControlPlane(files: NodeFiles, paths: ProgramPaths, access: Access): Promise<ControlPlane> {
  const start = (name: string, args: readonly string[], folder = paths.controlPlane): Program =>
    startProgram(name, join(folder, name), args, files.log(name));
  const etcd = await startEtcd(paths.controlPlane, files.folder("etcd"));
  const certificates = files.folder("apiserver-certificates");
  const certificate = join(certificates, "apiserver.crt");

  const startApiServer = () =>
    start("kube-apiserver", [
      `--etcd-servers=${etcd.url}`,
      "--secure-port=443",
      `--advertise-address=${nodeAddress}`,
      `--cert-dir=${certificates}`,
      "--authorization-mode=Node,RBAC",
      `--token-auth-file=${access.tokensFile}`,
      "--allow-privileged=true",
      `--service-cluster-ip-range=${serviceRange}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${access.serviceAccountPublicKey}`,
      `--service-account-signing-key-file=${access.serviceAccountKey}`,
      "--kubelet-preferred-address-types=InternalIP",
    ]);
  const untilReady = ({ failed }: Program) =>
    Promise.race([waitForUrl(`${apiServerUrl}/readyz`, { ca: () => readFileSync(certificate, "utf8") }), failed]);
  let server = startApiServer();
  await untilReady(server);

  const kubeconfig = `--kubeconfig=${access.kubeconfig("admin")}`;
  start("kube-controller-manager", [
    kubeconfig,
    "--leader-elect=false",
    `--service-account-private-key-file=${access.serviceAccountKey}`,
    `--root-ca-file=${certificate}`,
    "--use-service-account-credentials",
    "--kube-api-qps=200",
    "--kube-api-burst=400",
    `--cert-dir=${files.folder("controller-manager-certificates")}`,
  ]);
  start("kube-scheduler", [kubeconfig, "--leader-elect=false", `--cert-dir=${files.folder("scheduler-certificates")}`], paths.node);

  return {
    async restartApiServer() {
      await server.stop("SIGKILL");
      // Known before it is ready: one that never is can be stopped too.
      server = startApiServer();
      await untilReady(server);
    },
  };
}
