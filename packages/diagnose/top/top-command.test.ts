import { describe, expect, test } from "bun:test";
import { advanceUntil, FakeClock } from "@csi-sidecars/base/testing";
import type { CommandEnvironment } from "../access/connect.ts";
import { allInOne } from "../testing/programs.ts";
import { topCommand, urlOf } from "./top-command.ts";

const metrics = (cpu: number) => `# TYPE workqueue_depth gauge
workqueue_depth{name="claims"} 7
workqueue_depth{name="volumes"} 0
workqueue_oldest_waiting_seconds{name="claims"} 12.25
workqueue_longest_running_processor_seconds{name="claims"} 3
workqueue_failures_total{name="claims"} 2
leader_election_master_status{name="csi-sidecars-x"} 1
csi_sidecars_kube_client_throttled_seconds_total{client="attacher"} 1.5
csi_sidecars_driver_calls_in_flight{method_name="/csi.v1.Controller/CreateVolume"} 2
csi_sidecars_driver_calls_in_flight{method_name="/csi.v1.Identity/Probe"} 0
csi_sidecars_driver_longest_call_seconds{method_name="/csi.v1.Controller/CreateVolume"} 40.5
process_resident_memory_bytes 54000000
process_cpu_seconds_total ${cpu}
`;

/** A process that uses a tenth of a CPU second between two looks. */
function startProcess() {
  let looks = 0;
  return serve((pathname) =>
    pathname === "/metrics"
      ? new Response(metrics(looks++ / 10))
      : new Response("[+]driver ok\n[-]attacher failed: broken\u001b[2J\nreadyz check failed\n", { status: 500 }),
  );
}

function serve(answer: (pathname: string) => Response) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ({ url }) => answer(new URL(url).pathname) });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

function environment() {
  const clock = new FakeClock();
  const listeners = new Set<(signal: string) => void>();
  let text = "";
  const given = {
    env: {},
    clock,
    stdout: {
      write(more: string) {
        text += more;
      },
    },
    signals: (listener: (signal: string) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as CommandEnvironment;
  const interrupt = () => {
    for (const listener of [...listeners]) listener("SIGINT");
  };
  return { clock, given, text: () => text, interrupt, listeners };
}

describe("csi-sidecars top", () => {
  test("shows checks, leases, busy queues and waiting clients, once", async () => {
    using process = startProcess();
    const { exitCode, stdout, stderr } = await topCommand(["--once", `--url=${process.url}/`], allInOne, environment().given);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      `${process.url}  memory 54 MB`,
      "[+]driver ok",
      "[-]attacher failed: broken\\u001b[2J",
      "lease csi-sidecars-x: this process leads",
      "",
      "QUEUE   WAITING  OLDEST  LONGEST WORK  RETRIES  FAILURES",
      "claims        7  12.3 s         3.0 s        0         2",
      "",
      "CALL TO THE DRIVER  IN FLIGHT  LONGEST",
      "CreateVolume                2   40.5 s",
      "",
      "WAITED FOR THE REQUEST LIMIT  TOGETHER",
      "attacher                         1.5 s",
      "",
    ]);
  });

  test.each([
    [false, /^http.*\n\[\+\]driver/],
    [true, new RegExp(`^${String.fromCharCode(27)}\\[H`)],
  ])("looks again until it is interrupted; on a terminal (%p) in place", async (isTerminal, begin) => {
    using process = startProcess();
    const { clock, given, text, interrupt, listeners } = environment();
    const ends = topCommand([`--url=${process.url}`, "--interval=2s"], allInOne, given, isTerminal);
    await advanceUntil(clock, text, () => text().split("driver ok").length > 2, { stepMs: 200 });
    interrupt();
    expect((await ends).exitCode).toBe(0);
    expect(text()).toMatch(begin);
    expect(text()).toMatch(/CPU [\d.]+ %/);
    expect([listeners.size, clock.waiting]).toEqual([0, 0]);
  });

  test("says where nobody answers", async () => {
    const { exitCode, stderr } = await topCommand(["--url=http://127.0.0.1:1"], allInOne, environment().given);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^no answer from http:\/\/127.0.0.1:1\/.*: nobody listens there: /)]);
  });

  test("ends when nobody reads it any more", async () => {
    using process = startProcess();
    const gone = { ...environment().given, stdout: { write: () => {}, isGone: () => true } };
    expect((await topCommand([`--url=${process.url}`], allInOne, gone, false)).exitCode).toBe(0);
  });

  test.each([
    ["/readyz", 404, "/readyz?verbose answers 404: is this the --http-endpoint of the process?\n"],
    ["/metrics", 403, "/metrics answers 403: is --metrics-path the one of the process?\n"],
  ])("says that %s answers %i", async (path, status, problem) => {
    using server = serve((pathname) => new Response("not here", { status: pathname === path ? status : 200 }));
    const { exitCode, stdout, stderr } = await topCommand(["--once", `--url=${server.url}`], allInOne, environment().given);
    expect([exitCode, stdout, stderr]).toEqual([1, "", `${server.url}${problem}`]);
  });

  test.each([["--url=nonsense"], ["--interval=0s"], ["--bogus"]])("refuses %s", async (flag) => {
    expect((await topCommand([flag], allInOne, environment().given)).exitCode).toBe(2);
  });

  test.each([
    ["", "http://127.0.0.1:9808"],
    [":8080", "http://127.0.0.1:8080"],
    ["0.0.0.0:1", "http://127.0.0.1:1"],
    ["[::]:1", "http://127.0.0.1:1"],
    ["[::1]:1", "http://[::1]:1"],
    ["10.0.0.1:1", "http://10.0.0.1:1"],
  ])("asks where --http-endpoint=%s listens", (endpoint, url) => {
    expect(urlOf(endpoint)).toBe(url);
  });
});
