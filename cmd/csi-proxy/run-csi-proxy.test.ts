import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import type { Sink } from "@csi-sidecars/host/plain-program";
import type { ProgramEnv } from "./program-env.ts";
import { runCsiProxy } from "./run-csi-proxy.ts";

function recordingSink(): Sink & { readonly text: string } {
  let text = "";
  return {
    write: (more) => {
      text += more;
    },
    flush() {},
    get text() {
      return text;
    },
  };
}

/** A run of the program inside the test's process. */
class Run implements AsyncDisposable {
  readonly #stdout = recordingSink();
  readonly #stderr = recordingSink();
  #signal: (signal: string) => void = () => {};
  readonly exitCode: Promise<number>;

  constructor(argv: readonly string[], options: Partial<ProgramEnv> = {}) {
    this.exitCode = runCsiProxy({
      ...{ argv, env: { TZ: "UTC" }, platform: "linux", pid: 7, clock: systemClock, stdout: this.#stdout, stderr: this.#stderr },
      onSignal: (listener) => {
        this.#signal = listener;
      },
      onFault: () => {},
      ...options,
    });
  }

  get stdout(): string {
    return this.#stdout.text;
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  /** The messages on stderr, without klog's header. */
  get messages(): readonly string[] {
    return this.stderr
      .trim()
      .split("\n")
      .map((line) => line.replace(/^[IE]\d{4} \S+ +7 csi-proxy:0\] /, ""));
  }

  async untilServing(log = () => this.stderr): Promise<void> {
    await until("it serves", () => log().includes("] Serving "));
  }

  async end(): Promise<number> {
    this.#signal("SIGTERM");
    return this.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

function temporaryFolder(): Disposable & { readonly path: string; readonly flag: string } {
  const path = mkdtempSync(join(tmpdir(), "csi-proxy-"));
  return { path, flag: `--endpoint-dir=${path}`, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

describe("a command line that cannot be understood ends with code 2 and the name of the flag", () => {
  test.each<[readonly string[], string]>([
    [["--no-such-flag"], "unknown flag: --no-such-flag"],
    [["--kubelet-csi-plugins-path=C:\\x"], "unknown flag: --kubelet-csi-plugins-path"],
    [["--kubelet-pod-path=C:\\x"], "unknown flag: --kubelet-pod-path"],
    [["-v=loud"], 'invalid value "loud" for flag --v'],
    [["--windows-service=maybe"], 'invalid value "maybe" for flag --windows-service'],
    [["--windows-service", "true"], 'unexpected argument "true" after --windows-service'],
    [["--logtostderr=x"], 'invalid value "x" for flag --logtostderr'],
    [["--kubelet-path"], "flag needs an argument: --kubelet-path"],
    [["--endpoint-dir=/tmp", "extra"], 'unexpected argument "extra"'],
    [["--endpoint-dir=/tmp", "--groups=disk,tape"], 'invalid value "disk,tape" for flag --groups: csi-proxy has no API tape; there are '],
    [["--endpoint-dir=/tmp", "--groups=disk/v2"], 'invalid value "disk/v2" for flag --groups: csi-proxy has no API disk/v2; there are '],
    [["--endpoint-dir=/tmp", "--powershell-mode=fast"], 'invalid value "fast" for flag --powershell-mode'],
    [["--endpoint-dir=/tmp", "--powershell=pwsh"], 'invalid value "pwsh" for flag --powershell: not an absolute path'],
    [
      ["--endpoint-dir=/tmp", "--powershell-concurrency=0"],
      'invalid value "0" for flag --powershell-concurrency: must be greater than zero',
    ],
    [
      ["--endpoint-dir=/tmp", "--metrics-bind-address=nowhere"],
      'invalid value "nowhere" for flag --metrics-bind-address: "nowhere" is not an address',
    ],
    [[], "--endpoint-dir is required: only Windows has named pipes"],
  ])("%p", async (argv, message) => {
    const run = new Run(argv);
    expect(await run.exitCode).toBe(2);
    expect(run.stdout).toBe("");
    expect(run.stderr).toStartWith(message);
    expect(run.stderr).toEndWith("Run csi-proxy --help for usage.\n");
  });

  test("the folder that stands for drives is not for Windows", async () => {
    const run = new Run(["--dev-host-root=/host"], { platform: "win32" });
    expect([await run.exitCode, run.stderr]).toEqual([2, expect.stringContaining("--dev-host-root")]);
  });
});

test("--help names every flag of upstream", async () => {
  const run = new Run(["--help"]);
  expect(await run.exitCode).toBe(0);
  for (const flag of [
    "kubelet-path",
    "working-dir",
    "windows-service",
    "require-privacy",
    "metrics-bind-address",
    "v",
    "logtostderr",
    "log_file",
  ]) {
    expect(run.stdout).toContain(`  --${flag}`);
  }
});

test("the lines that operators search for, with the folders as they were configured", async () => {
  using folder = temporaryFolder();
  const dirs = ["-working-dir", "D:\\a b", "--working-dir=E:\\c,d\\"];
  await using run = new Run([folder.flag, ...dirs, "-kubelet-path", "C:\\k", "-require-privacy=false", "-windows-service"]);
  await run.untilServing();
  expect(run.messages.slice(0, 5)).toEqual([
    "Starting CSI-Proxy Server ...",
    expect.stringMatching(/^Version: v\S+$/),
    expect.stringContaining("without the Windows service manager"),
    "Working directories: [D:\\a b E:\\c,d\\ C:\\k]",
    "Require privacy: false",
  ]);
  expect(await run.end()).toBe(0);
});

test("the defaults are upstream's, and klog's flags are accepted in every form", async () => {
  using folder = temporaryFolder();
  const klog = [
    "-v=5",
    "--v",
    "4",
    "-alsologtostderr=false",
    "--stderrthreshold",
    "ERROR",
    "-one_output",
    "-add_dir_header",
    "-skip_headers=false",
  ];
  const more = [
    "-log_dir=/tmp",
    "-log_backtrace_at=a.go:1",
    "-vmodule=a=1",
    "-legacy_stderr_threshold_behavior",
    "-alsologtostderrthreshold=INFO",
  ];
  await using run = new Run([folder.flag, ...klog, ...more, "-skip_log_headers", "-log_file_max_size=1"]);
  await run.untilServing();
  expect(run.messages).toContain("Working directories: [C:\\var\\lib\\kubelet]");
  expect(run.messages).toContain("Require privacy: true");
});

test("--groups serves some groups and versions only", async () => {
  using folder = temporaryFolder();
  await using run = new Run([folder.flag, "--groups=smb,volume/v1", "--groups=disk/v1beta3"]);
  await run.untilServing();
  const names = ["disk-v1beta3", "smb-v1", "smb-v1alpha1", "smb-v1beta1", "smb-v1beta2", "volume-v1"];
  expect(readdirSync(folder.path).sort()).toEqual(names.map((name) => `csi-proxy-${name}.sock`));
});

test("an endpoint that fails ends the program with code 1", async () => {
  using folder = temporaryFolder();
  using listen = spyOn(Server.prototype, "listen");
  const run = new Run([folder.flag, "--groups=system,iscsi"]);
  await run.untilServing();
  const path = join(folder.path, "csi-proxy-system-v1alpha1.sock");
  (listen.mock.contexts as readonly Server[]).find((one) => one.address() === path)?.emit("error", new Error("the pipe broke"));
  expect(await run.exitCode).toBe(1);
  expect(run.messages).toContain("GRPC server for API group system version v1alpha1 failed: the pipe broke");
  expect(readdirSync(folder.path)).toEqual([]);
});

describe("the log file", () => {
  test("is used only where stderr is not; errors go to both", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "csi-proxy.log");
    await using both = new Run([folder.flag, "--groups=system", `--log_file=${file}`]);
    await both.untilServing();
    expect(existsSync(file)).toBe(false);
    await both.end();

    await using run = new Run([folder.flag, "--groups=system", "--logtostderr=false", `--log_file=${file}`]);
    const log = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
    await run.untilServing(log);
    expect(log()).toContain("] Working directories: [C:\\var\\lib\\kubelet]\n");
    expect(run.stderr).toBe("");
    const second = new Run([folder.flag, "--groups=system", "--logtostderr=false", `--log_file=${file}`]);
    expect(await second.exitCode).toBe(1);
    expect([second.stderr, log()]).toEqual([expect.stringContaining("another process"), expect.stringContaining("another process")]);
    await run.end();
  });

  test("that cannot be opened ends the program with code 1", async () => {
    using folder = temporaryFolder();
    const run = new Run([folder.flag, "--logtostderr=false", "--log_file=/nowhere/csi-proxy.log"]);
    expect([await run.exitCode, run.stderr]).toEqual([1, expect.stringContaining("--log_file: ")]);
  });
});

describe("metrics", () => {
  const addressIn = (log: string) => /HTTP server is listening address="(.*?)"/.exec(log)?.[1];

  test("are served with the health of the endpoints where they are asked for", async () => {
    using folder = temporaryFolder();
    await using run = new Run([folder.flag, "--groups=system", "--metrics-bind-address=127.0.0.1:0"]);
    await run.untilServing();
    const url = `http://${addressIn(run.stderr)}`;
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.text()]).toEqual([200, "ok"]);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    const page = await metrics.text();
    for (const name of ["started_total", "handled_total", "msg_received_total", "msg_sent_total", "handling_seconds"]) {
      expect(page).toContain(`# TYPE grpc_server_${name} `);
    }
    expect(page).toContain("# TYPE csi_proxy_powershell_seconds histogram");
    expect(page).toContain("# TYPE csi_proxy_powershell_errors_total counter");
  });

  test("are off unless asked for", async () => {
    using folder = temporaryFolder();
    await using run = new Run([folder.flag, "--groups=system"]);
    await run.untilServing();
    expect(addressIn(run.stderr)).toBeUndefined();
  });

  test("whose address is taken end the program before it serves anything", async () => {
    using folder = temporaryFolder();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const run = new Run([folder.flag, `--metrics-bind-address=127.0.0.1:${port}`]);
    expect(await run.exitCode).toBe(1);
    expect(run.stderr).toContain(`--metrics-bind-address: cannot listen on 127.0.0.1:${port}: address already in use`);
    expect(readdirSync(folder.path)).toEqual([]);
    await new Promise<void>((resolve) => other.close(() => resolve()));
  });
});
