import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { dnsAddress, nodeAddress, nodeName } from "./addresses.ts";
import { containerdSocket } from "./containerd.ts";
import type { NodeFiles } from "./files.ts";
import type { ProgramPaths } from "./program-paths.ts";

/** The command line of the kubelet, whose configuration it writes. */
export function kubeletCommand(files: NodeFiles, paths: ProgramPaths, kubeconfig: string, cgroup: string): [string, ...string[]] {
  const config = files.file("kubelet.yaml");
  writeFileSync(config, stringify(kubeletConfiguration(files, cgroup)));
  return [
    join(paths.node, "kubelet"),
    `--config=${config}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeAddress}`,
    `--cert-dir=${files.folder("kubelet-certificates")}`,
    "--v=2",
  ];
}

function kubeletConfiguration(files: NodeFiles, cgroup: string): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    cgroupRoot: cgroup,
    cgroupDriver: "cgroupfs",
    // Machines with control groups of version 1 are still served, on demand.
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    makeIPTablesUtilChains: false,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    resolvConf: "",
    clusterDNS: [dnsAddress],
    clusterDomain: "cluster.local",
    // Images come from files: one that is removed cannot be pulled again.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    // How long the kubelet may take to notice that a mounted volume has grown; tests wait for it.
    syncFrequency: "10s",
    // Containers that are killed on purpose come back soon.
    crashLoopBackOff: { maxContainerRestartPeriod: "10s" },
    maxPods: 250,
    nodeStatusUpdateFrequency: "1s",
    nodeStatusReportFrequency: "10s",
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
    volumePluginDir: files.folder("volume-plugins"),
  };
}
