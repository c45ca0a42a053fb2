/** For each alert: series that make it fire, and series that do not. One sample a minute, over two hours. */
export interface AlertCase {
  readonly alert: string;
  readonly fires: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
}

const target = 'job="csi", instance="10.0.0.1:8080", namespace="storage", pod="csi-0"';
const other = 'job="kube", instance="10.0.0.9:10257", namespace="kube-system", pod="kcm"';
const series = (name: string, labels = "", of = target) => `${name}{${[of, labels].filter((text) => text !== "").join(", ")}}`;
const ours = { [series("csi_sidecars_event_loop_lag_seconds")]: "0x120" };
/** Counters: so much more every minute. */
const rising = (by = 6) => `0+${by}x120`;

const gauge = (alert: string, name: string, labels: string, bad = "1x120", good = "0x120"): AlertCase => ({
  alert,
  fires: { ...ours, [series(name, labels)]: bad },
  quiet: { ...ours, [series(name, labels)]: good },
});

const calls = (code: string, more = "") =>
  series(
    `csi_sidecar_operations_seconds_${more === "" ? "count" : "bucket"}`,
    `driver_name="d", method_name="/m", grpc_status_code="${code}"${more}`,
  );
const requests = (code: string, of = target) => series("rest_client_requests_total", `code="${code}", host="h", method="GET"`, of);
const provisioned = series("controller_persistentvolumeclaim_provision_total", 'class="fast", source=""');
const notProvisioned = series("controller_persistentvolumeclaim_provision_failed_total", 'class="fast", source=""');
const deleted = series("controller_persistentvolume_delete_total", 'class="fast"');
const notDeleted = series("controller_persistentvolume_delete_failed_total", 'class="fast"');
const leads = series("leader_election_master_status", 'name="lease"');
const standby = 'leader_election_master_status{job="csi", instance="10.0.0.2:8080", namespace="storage", name="lease"}';
const snapshots = series("snapshot_controller_operation_total_seconds_count", 'operation_name="CreateSnapshot"');

export const alertCases: readonly AlertCase[] = [
  {
    alert: "CSISidecarsTargetDown",
    fires: { [series("up")]: "1x9 0x110", [series("csi_sidecars_event_loop_lag_seconds")]: "0x9" },
    quiet: { [series("up", "", other)]: "0x120", ...ours, [series("up")]: "1x9 0x50 1x60" },
  },
  gauge("CSISidecarsControllerFailed", "csi_sidecars_controller_failed", 'controller="attacher"'),
  gauge("CSISidecarsControllerRestarts", "csi_sidecars_controller_restarts_total", 'controller="attacher"', rising(1), "3x120"),
  {
    alert: "CSISidecarsEventLoopBlocked",
    fires: { [series("csi_sidecars_event_loop_lag_seconds")]: "5x120" },
    quiet: { [series("csi_sidecars_event_loop_lag_seconds")]: "0.1x100 5 0.1x19" },
  },
  {
    alert: "CSISidecarsNoLeader",
    fires: { ...ours, [leads]: "0x120", [standby]: "0x120" },
    quiet: { ...ours, [leads]: "1x120", [series("leader_election_master_status", 'name="kcm"', other)]: "0x120" },
  },
  gauge("CSISidecarsLegacyLeaseHeld", "csi_sidecars_legacy_lease_held", 'lease="external-attacher-leader-d"'),
  {
    alert: "CSISidecarsLeaderChanges",
    fires: { ...ours, [leads]: Array.from({ length: 60 }, () => "0 1").join(" ") },
    quiet: { ...ours, [leads]: "0x60 1x59" },
  },
  gauge("CSISidecarsDriverUnhealthy", "csi_sidecars_driver_healthy", "", "0x120", "1x120"),
  gauge("CSISidecarsDriverNotRegistered", "csi_sidecars_driver_registered", "", "0x120", "1x120"),
  {
    alert: "CSISidecarsDriverCallsFail",
    fires: { [calls("Internal")]: rising(), [calls("OK")]: rising(2) },
    quiet: { [calls("Internal")]: rising(2), [calls("OK")]: rising() },
  },
  {
    alert: "CSISidecarsDriverCallsTimeOut",
    fires: { [calls("DeadlineExceeded")]: rising(1) },
    quiet: { [calls("DeadlineExceeded")]: "4x120" },
  },
  {
    alert: "CSISidecarsDriverCallsSlow",
    fires: { [calls("OK", ', le="50"')]: "0x120", [calls("OK", ', le="120"')]: rising(), [calls("OK", ', le="+Inf"')]: rising() },
    quiet: { [calls("OK", ', le="50"')]: rising(), [calls("OK", ', le="120"')]: rising(), [calls("OK", ', le="+Inf"')]: rising() },
  },
  gauge("CSISidecarsWorkWaits", "workqueue_oldest_waiting_seconds", 'name="claims"', "60+60x119", "20x120"),
  {
    alert: "CSISidecarsWorkStuck",
    fires: { ...ours, [series("workqueue_longest_running_processor_seconds", 'name="claims"')]: "0+60x120" },
    quiet: { ...ours, [series("workqueue_longest_running_processor_seconds", 'name="job"', other)]: "0+60x120" },
  },
  gauge("CSISidecarsWorkFails", "workqueue_failures_total", 'name="claims"', rising(1), "7x120"),
  {
    alert: "CSISidecarsVolumesNotProvisioned",
    fires: { [notProvisioned]: rising(), [provisioned]: "9x120" },
    quiet: { [notProvisioned]: rising(), [provisioned]: rising(1) },
  },
  {
    alert: "CSISidecarsVolumesNotDeleted",
    fires: { [notDeleted]: rising() },
    quiet: { [notDeleted]: rising(), [deleted]: rising(1) },
  },
  gauge("CSISidecarsVolumesNotSaved", "csi_sidecars_provisioner_unsaved_volumes", ""),
  {
    alert: "CSISidecarsClaimsInfeasible",
    fires: { [series("csi_sidecars_resizer_claims", 'operation="resize", state="infeasible"')]: "1x120" },
    quiet: { [series("csi_sidecars_resizer_claims", 'operation="resize", state="pending"')]: "1x120" },
  },
  {
    alert: "CSISidecarsSnapshotsStuck",
    fires: { [series("snapshot_controller_operations_in_flight")]: "2x120", [snapshots]: "5x120" },
    quiet: { [series("snapshot_controller_operations_in_flight")]: "2x120", [snapshots]: rising(1) },
  },
  gauge("CSISidecarsInvalidDataSources", "csi_sidecars_volume_data_source_validator_invalid_claims", ""),
  {
    alert: "CSISidecarsThrottledByServer",
    fires: { ...ours, [requests("429")]: rising() },
    quiet: { ...ours, [requests("200")]: rising(), [requests("429", other)]: rising() },
  },
  gauge("CSISidecarsThrottled", "csi_sidecars_kube_client_throttled_seconds_total", 'client="attacher"', rising(600), rising(60)),
  {
    alert: "CSISidecarsForbidden",
    fires: { ...ours, [requests("403")]: rising(1) },
    quiet: { ...ours, [requests("403", other)]: rising() },
  },
  {
    alert: "CSISidecarsAPIErrors",
    fires: { ...ours, [requests("<error>")]: rising(), [requests("200")]: rising() },
    quiet: { ...ours, [requests("503")]: rising(1), [requests("200")]: rising(60) },
  },
  gauge("CSISidecarsEventsLost", "event_recorder_events_total", 'outcome="overflow"', rising(1), "3x120"),
  gauge("CSISidecarsVolumesAbnormal", "csi_sidecars_health_monitor_abnormal_volumes", 'driver_name="d"'),
  gauge("CSISidecarsNodesFailed", "csi_sidecars_health_monitor_failed_nodes", 'driver_name="d"'),
  // Time begins at 0 here.
  gauge(
    "CSISidecarsHealthUnknown",
    "csi_sidecars_health_monitor_last_successful_pass_timestamp_seconds",
    'driver_name="d"',
    "60x120",
    "0+60x120",
  ),
];
