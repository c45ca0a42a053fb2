import type { FlagTable } from "./flag.ts";
import { retired } from "./flag-types.ts";

const help = "A flag of klog.";
const [bool, value] = [retired("bool", help), retired("value", help)];

/** What upstream's older programs have of klog's flags beside `v` and `vmodule`. Logs go to stderr, whatever these say. */
export const klogFlags = {
  add_dir_header: bool,
  alsologtostderr: bool,
  alsologtostderrthreshold: value,
  legacy_stderr_threshold_behavior: bool,
  log_backtrace_at: value,
  log_dir: value,
  log_file: value,
  log_file_max_size: value,
  logtostderr: bool,
  one_output: bool,
  skip_headers: bool,
  skip_log_headers: bool,
  stderrthreshold: value,
} satisfies FlagTable;
