import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { flagsTable, type Program, readCommandLine } from "@csi-sidecars/host";
import { volumeDataSourceValidator } from "./component.ts";

const alone = {
  form: "individual",
  name: "volume-data-source-validator",
  component: volumeDataSourceValidator,
} as const satisfies Program;
const allInOne = { form: "all-in-one", name: "csi-sidecars", components: [volumeDataSourceValidator] } as const satisfies Program;

/** What a command line means; throws where it is refused. */
function settingsOf(program: Program, argv: readonly string[]) {
  const line = readCommandLine(program, argv);
  if (line.asks !== "run" || line.settings.problems.length > 0) throw new Error(JSON.stringify(line));
  return line.settings;
}

describe("the command line", () => {
  /** Upstream's flags with their defaults: its own, and those of klog. */
  const upstream = [
    ...["-kubeconfig=", "-version=false", "-worker-threads=10", "-leader-election=false", "-leader-election-namespace="],
    ...["-leader-election-lease-duration=15s", "-leader-election-renew-deadline=10s", "-leader-election-retry-period=5s"],
    ...["-http-endpoint=", "-metrics-path=/metrics", "-v=0", "-vmodule="],
  ];
  const klog = [
    ...["-logtostderr=true", "-alsologtostderr=false", "-alsologtostderrthreshold=0", "-stderrthreshold=2"],
    ...["-legacy_stderr_threshold_behavior=true", "-log_dir=", "-log_file=", "-log_file_max_size=1800", "-log_backtrace_at=:0"],
    ...["-add_dir_header=false", "-skip_headers=false", "-skip_log_headers=false", "-one_output=false"],
  ];
  const ours = ["warning-delay", "kube-api-qps", "kube-api-burst"];

  test("has upstream's flags, with its defaults, and no others", () => {
    const withAll = settingsOf(alone, [...upstream, ...klog]);
    const withNone = settingsOf(alone, []);
    expect(withAll.process).toEqual(withNone.process);
    expect(withAll.of(volumeDataSourceValidator)).toMatchObject({ workerThreads: 10, kubeApiQps: 5, kubeApiBurst: 10 });
    const names = [...upstream, ...klog].map((flag) => flag.slice(1, flag.indexOf("=")));
    const { flags, processFlags } = volumeDataSourceValidator;
    expect([...Object.keys(flags), ...processFlags].toSorted()).toEqual([...names, ...ours].toSorted());
  });

  test.each(klog.map((flag) => [flag]))("%s has no effect, and says so", (flag) => {
    const { warnings } = settingsOf(alone, [flag]);
    expect(warnings).toEqual([expect.stringContaining("no effect")]);
  });

  test.each([...ours, "csi-address", "timeout", "feature-gates", "resync"])("--%s is not known to the program of its own", (name) => {
    expect(readCommandLine(alone, [`--${name}=1`])).toMatchObject({ asks: "nothing" });
  });

  test.each([
    ["--worker-threads=0", alone, "for flag --worker-threads: must be greater than zero"],
    ["--worker-threads=-3", alone, "for flag --worker-threads: must be greater than zero"],
    ["--volume-data-source-validator-worker-threads=0", allInOne, "--volume-data-source-validator-worker-threads: must be"],
    ["--volume-data-source-validator-warning-delay=-1s", allInOne, "warning-delay: must not be negative"],
  ])("%s is refused", (flag, program, text) => {
    const selected = program.form === "all-in-one" ? ["--controllers=data-source-validator"] : [];
    expect(JSON.stringify(readCommandLine(program, [...selected, flag]))).toContain(text);
  });

  test("in the all-in-one it has the rate limits of the others, and is selected by either name", () => {
    for (const name of ["volume-data-source-validator", "data-source-validator"]) {
      const settings = settingsOf(allInOne, [
        `--controllers=${name}`,
        "--worker-threads=3",
        "--volume-data-source-validator-warning-delay=0",
      ]);
      expect(settings.enabled).toEqual(["volume-data-source-validator"]);
      expect(settings.of(volumeDataSourceValidator)).toMatchObject({ workerThreads: 3, kubeApiQps: 20, kubeApiBurst: 40, warningDelay: 0 });
    }
  });
});

test("it is never on by default, and has a lease of its own: that of upstream's program, whatever the driver is", () => {
  expect(settingsOf({ ...allInOne, components: [volumeDataSourceValidator] }, ["--controllers=*,data-source-validator"]).enabled).toEqual([
    "volume-data-source-validator",
  ]);
  expect(volumeDataSourceValidator.onByDefault ?? false).toBe(false);
  expect(volumeDataSourceValidator.leadership).toBe("own");
  expect(volumeDataSourceValidator.legacyLease?.("driver.example.com")).toBe("data-source-validator-leader");
});

/** Without the padding that the formatter gives tables. */
const plain = (markdown: string) => markdown.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

test("the README shows the flags as they are", async () => {
  expect(plain(await readFile(new URL("README.md", import.meta.url), "utf8"))).toContain(plain(flagsTable(volumeDataSourceValidator)));
});
