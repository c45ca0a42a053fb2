const withLeases = ["csi-attacher", "csi-provisioner", "csi-resizer", "csi-snapshotter"];
const withDriver = [...withLeases, "csi-external-health-monitor-controller", "livenessprobe"];

/** Which of upstream's programs serve a metric under the same name, in the releases that docs/parity.md names. */
const served: readonly (readonly [name: RegExp, programs: readonly string[]])[] = [
  [/^csi_sidecar_operations_seconds$/, withDriver],
  [/^workqueue_(depth|adds_total|retries_total|(queue|work)_duration_seconds)$/, withLeases],
  [/^workqueue_(unfinished_work|longest_running_processor)_seconds$/, withLeases],
  [/^leader_election_/, withLeases],
  [/^process_start_time_seconds$/, [...withDriver, "snapshot-controller", "volume-data-source-validator"]],
  [/^process_/, withLeases],
  [/^(controller_persistentvolume|csistoragecapacities_)/, ["csi-provisioner"]],
  [/^snapshot_controller_/, ["snapshot-controller"]],
  [/^volume_data_source_validator_/, ["volume-data-source-validator"]],
  [/^grpc_server_/, ["csi-proxy"]],
];

/** Upstream's programs with this metric; none: it is ours. */
export function upstreamProgramsWith(metric: string): readonly string[] {
  return served.find(([name]) => name.test(metric))?.[1] ?? [];
}
