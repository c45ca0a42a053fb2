import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, recordingLogger, until } from "@csi-sidecars/base/testing";
import type { ExecPlugin } from "../../config/cluster-config.ts";
import { SecretString } from "../../config/secret-string.ts";
import { connect } from "../connect.ts";
import { testAuthority } from "../testing/certificates.ts";
import { configFor, failureOf } from "../testing/expectations.ts";
import { httpServer, httpsServer } from "../testing/servers.ts";

const folder = mkdtempSync(join(tmpdir(), "exec-plugin-"));
afterAll(() => rmSync(folder, { recursive: true }));
let scripts = 0;

const get = { method: "GET", path: "/", timeoutMs: 60_000 } as const;
const apiVersion = "client.authentication.k8s.io/v1";
const credential = (status: object, version: string = apiVersion) => ({ kind: "ExecCredential", apiVersion: version, status });

/** A plugin that appends to `<file>.runs` and prints what is in `<file>.out` (`#` becomes the number of the run). */
function plugin(output: unknown, more: Partial<ExecPlugin> = {}) {
  const file = join(folder, `plugin-${scripts++}`);
  const print = (value: unknown) => writeFileSync(`${file}.out`, typeof value === "string" ? value : JSON.stringify(value));
  print(output);
  writeFileSync(`${file}.runs`, "");
  writeFileSync(file, `#!/bin/sh\nprintf x >>"${file}.runs"\nn=$(wc -c <"${file}.runs" | tr -d ' ')\nsed "s/#/$n/g" "${file}.out"\n`, {
    mode: 0o755,
  });
  const config: ExecPlugin = { apiVersion, command: file, args: [], env: { PATH: process.env.PATH }, interactiveMode: "Never", ...more };
  return { config, print, runs: () => readFileSync(`${file}.runs`, "utf8").length };
}

function connectWith(exec: ExecPlugin, port: number, more: { terminal?: boolean } = {}) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const log = recordingLogger();
  const config = configFor(`http://127.0.0.1:${port}`, { credentials: { kind: "exec", plugin: exec } });
  const transport = connect(config, { userAgent: "t", clock, log, terminal: false, ...more });
  const ask = async () => {
    const response = await transport.request(get);
    await response.text();
    return response.status;
  };
  return { clock, log, transport, ask };
}

async function gatekeeper() {
  const state = { accepted: "", seen: [] as string[] };
  const server = await httpServer((request, response) => {
    state.seen.push(request.headers.authorization ?? "none");
    response.writeHead(!state.accepted || request.headers.authorization === state.accepted ? 200 : 401).end();
  });
  return Object.assign(server, { state });
}

describe("an exec plugin", () => {
  test("runs at the first request, once for all that wait, and not again without an expiry", async () => {
    await using server = await gatekeeper();
    const login = plugin(credential({ token: "t#" }));
    const { ask, clock, transport } = connectWith(login.config, server.port);
    expect(login.runs()).toBe(0);
    await Promise.all([ask(), ask(), ask()]);
    await clock.advance(1000 * 3_600_000);
    await ask();
    expect(server.state.seen).toEqual(Array(4).fill("Bearer t1"));
    expect(login.runs()).toBe(1);
    transport.close();
  });

  test("runs once more for concurrent requests when its credential has expired", async () => {
    await using server = await gatekeeper();
    const login = plugin(credential({ token: "t#", expirationTimestamp: "2026-01-01T01:00:00Z" }));
    const { ask, clock, transport } = connectWith(login.config, server.port);
    await ask();
    await clock.advance(3_599_999);
    await ask();
    login.print(credential({ token: "t#", expirationTimestamp: "2026-01-01T02:00:00Z" }));
    await clock.advance(1);
    await Promise.all([ask(), ask(), ask()]);
    expect(server.state.seen).toEqual(["Bearer t1", "Bearer t1", "Bearer t2", "Bearer t2", "Bearer t2"]);
    transport.close();
  });

  test("runs again once when concurrent requests are answered 401", async () => {
    await using server = await gatekeeper();
    const login = plugin(credential({ token: "t#" }));
    const { ask, transport } = connectWith(login.config, server.port);
    await ask();
    server.state.accepted = "Bearer t2";
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200]);
    expect(login.runs()).toBe(2);
    transport.close();
  });

  test("that fails after a 401 leaves the answer to the caller", async () => {
    await using server = await gatekeeper();
    const login = plugin(credential({ token: "t#" }));
    const { ask, log, transport } = connectWith(login.config, server.port);
    await ask();
    login.print("rubbish");
    server.state.accepted = "Bearer t2";
    expect(await ask()).toBe(401);
    expect(log.lines.map(({ message }) => message)).toEqual([
      "Cannot renew the credentials that the API server refused",
      expect.stringContaining("refused the credentials of"),
    ]);
    transport.close();
  });

  const modes: readonly [ExecPlugin["interactiveMode"], boolean][] = [
    ["Never", false],
    ["IfAvailable", false],
  ];
  test.each(modes)("is told what it may do and which cluster it is for (%s)", async (interactiveMode, interactive) => {
    await using server = await gatekeeper();
    const file = join(folder, `info-${interactiveMode}`);
    const script = `printf '%s\\n' "$KUBERNETES_EXEC_INFO" "$GREETING" "$1" > ${file}; cat; echo '${JSON.stringify(credential({ token: "t" }))}'`;
    const { ask, transport } = connectWith(
      {
        apiVersion,
        command: "sh",
        args: ["-c", script, "sh", "argument"],
        env: { PATH: process.env.PATH, GREETING: "hello" },
        interactiveMode,
        cluster: { server: "https://a", config: null },
      },
      server.port,
    );
    await ask();
    const [info = "", greeting, argument] = readFileSync(file, "utf8").split("\n");
    expect(JSON.parse(info)).toEqual({
      kind: "ExecCredential",
      apiVersion,
      spec: { interactive, cluster: { server: "https://a", config: null } },
    });
    expect([greeting, argument]).toEqual(["hello", "argument"]);
    transport.close();
  });

  test("that has to ask the user needs a terminal", async () => {
    const login = plugin(credential({ token: "t" }), { interactiveMode: "Always" });
    const { transport } = connectWith(login.config, 1);
    const error = await failureOf(transport.request(get));
    expect(error.kind).toBe("credentials");
    expect(error.message).toEndWith("wants to ask the user (interactiveMode: Always), but standard input is not a terminal");
    expect(login.runs()).toBe(0);
  });

  test("that is not installed is told with the hint of the kubeconfig", async () => {
    const login = plugin("", { command: "no-such-plugin", installHint: "Get it at example.com." });
    const { transport } = connectWith(login.config, 1);
    const error = await failureOf(transport.request(get));
    expect([error.kind, error.message]).toEqual([
      "credentials",
      'exec plugin "no-such-plugin": cannot be run: file not found; install it, or correct users[].user.exec.command\nGet it at example.com.',
    ]);
  });

  test("that exits with an error", async () => {
    const { transport } = connectWith(plugin("", { command: "sh", args: ["-c", "exit 3"] }).config, 1);
    expect((await failureOf(transport.request(get))).message).toBe(
      'exec plugin "sh": failed with exit code 3; it may have said why on stderr',
    );
  });

  test("that hangs is under the request's deadline and ends with the transport", async () => {
    const pid = join(folder, "pid");
    const { transport, clock } = connectWith(plugin("", { command: "sh", args: ["-c", `echo $$ > ${pid}; exec sleep 60`] }).config, 1);
    const failing = failureOf(transport.request(get));
    await until("the plugin to run", () => Bun.file(pid).size > 0);
    await clock.advance(60_000);
    expect((await failing).kind).toBe("timeout");
    transport.close();
    await until("the plugin to be ended", () => !isRunning(Number(readFileSync(pid, "utf8"))));
  });
});

describe.skipIf(process.platform === "win32")("an exec plugin and what it has started", () => {
  const started: (() => readonly number[])[] = [];
  afterAll(() => {
    for (const pid of started.flatMap((pids) => pids())) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });

  /** A plugin that starts a process which ignores SIGTERM, then does `rest`; both process ids go to a file once both do as told with SIGTERM. */
  function family(rest: string, { parent = stubborn, child = holdsOutput }: { parent?: string; child?: string } = {}) {
    const file = join(folder, `family-${scripts++}`);
    const tell = `echo $! $$ > ${file}.part; mv ${file}.part ${file}`;
    const args = ["-c", `${stubborn} sleep 600 ${child} & ${parent} ${tell}; ${rest}`];
    const pids = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").map(Number) : []);
    started.push(pids);
    return { config: plugin("", { command: "sh", args }).config, pids };
  }

  const stubborn = "trap '' TERM;";
  const obedient = "trap - TERM;";
  const holdsOutput = "";
  const isSilent = "> /dev/null";
  const printing = "while :; do echo 0123456789012345678901234567890123456789; done";

  const causes: readonly [string, string, string, (world: ReturnType<typeof connectWith>) => unknown][] = [
    ["print too much", printing, "printed more than 1 MiB", () => undefined],
    ["take too long", "wait", "did not end within 60 s", ({ clock }) => clock.advance(60_000)],
    ["outlive the transport", "wait", "the transport was closed", ({ transport }) => transport.close()],
  ];
  const families = [
    ["both ignore SIGTERM", {}],
    ["only the child ignores it, and holds no output", { parent: obedient, child: isSilent }],
    ["only the child ignores it, and holds the output", { parent: obedient, child: holdsOutput }],
  ] as const;
  test.each(causes.flatMap(([cause, ...how]) => families.map(([which, traps]) => [cause, which, ...how, traps] as const)))(
    "are ended when they %s, where %s",
    async (_cause, _which, rest, message, happen, traps) => {
      const { config, pids } = family(rest, traps);
      const world = connectWith(config, 1);
      const failing = failureOf(world.transport.request({ ...get, timeoutMs: 120_000 }));
      await until("both to run", () => pids().length === 2);
      await happen(world);
      expect((await failing).message).toContain(message);
      if ("parent" in traps) await until("the plugin to end", () => !isRunning(pids()[1] ?? 0));
      await world.clock.advance(1_000);
      await until("both to be ended", () => !pids().some(isRunning));
      await until("no timer to be left", () => world.clock.waiting === 0);
      world.transport.close();
    },
  );

  test("do not hold up its credential when it has ended", async () => {
    await using server = await gatekeeper();
    const { config, pids } = family(`echo '${JSON.stringify(credential({ token: "t" }))}'`);
    const { ask, clock, transport } = connectWith(config, server.port);
    const asking = ask();
    await until("the plugin to end", () => pids().length === 2 && !isRunning(pids()[1] ?? 0));
    await until("the wait for its output", () => (clock.nextIn ?? Number.POSITIVE_INFINITY) <= 1_000);
    await clock.advance(1_000);
    expect(await asking).toBe(200);
    expect(server.state.seen).toEqual(["Bearer t"]);
    transport.close();
  });
});

/** A process that has ended may wait long until somebody asks how. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync("/proc/self/stat") || !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const client = await (await testAuthority()).issue("client");

describe("output that is refused, and never shown", () => {
  const cases: readonly [string, unknown, string][] = [
    ["no JSON", "secret", "did not print JSON; it must print an ExecCredential"],
    ["another kind", { kind: "Secret" }, "printed something else than an ExecCredential"],
    [
      "another version",
      credential({ token: "secret" }, "client.authentication.k8s.io/v1beta1"),
      "is configured for apiVersion client.authentication.k8s.io/v1, but printed another one; make the two agree",
    ],
    ["no status", { kind: "ExecCredential", apiVersion }, "printed no status"],
    ["nothing in it", credential({}), "has neither a token nor a client certificate"],
    [
      "certificate without key",
      credential({ clientCertificateData: "secret" }),
      "clientCertificateData and clientKeyData must come together",
    ],
    ["key that is none", credential({ clientCertificateData: client.cert, clientKeyData: "secret" }), "holds no usable private key"],
    ["token with a line break", credential({ token: "sec\nret" }), "holds characters that no token has"],
    ["time that is none", credential({ token: "secret", expirationTimestamp: "soon" }), "is not an RFC 3339 time"],
  ];
  test.each(cases)("%s", async (_, output, message) => {
    const { transport } = connectWith(plugin(output).config, 1);
    const error = await failureOf(transport.request(get));
    expect(error.kind).toBe("credentials");
    expect(error.message).toContain(message);
    expect(Bun.inspect(error)).not.toMatch(/: secret|sec\nret/);
  });
});

test("a client certificate from a plugin is used, and a new one opens new connections", async () => {
  const ca = await testAuthority();
  const [first, second] = [await ca.issue("first"), await ca.issue("second")];
  await using server = await httpsServer(await ca.issue("server"), (_, response) => void response.end("ok"), { clientCa: ca.pem });
  const issued = (pair: { cert: string; key: string }, hour: number) =>
    credential({ clientCertificateData: pair.cert, clientKeyData: pair.key, expirationTimestamp: `2026-01-01T0${hour}:00:00Z` });
  const login = plugin(issued(first, 1));
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const config = configFor(`https://127.0.0.1:${server.port}`, {
    tls: { insecure: false, ca: { field: "ca", pem: new SecretString(ca.pem) } },
    credentials: { kind: "exec", plugin: login.config },
  });
  const transport = connect(config, { userAgent: "t", clock, terminal: false });
  const ask = async () => (await transport.request(get)).text();
  expect([await ask(), await ask(), server.accepted]).toEqual(["ok", "ok", 1]);
  login.print(issued(first, 2));
  await clock.advance(3_600_000);
  expect([await ask(), server.accepted]).toEqual(["ok", 1]);
  login.print(issued(second, 3));
  await clock.advance(3_600_000);
  expect([await ask(), server.accepted]).toEqual(["ok", 2]);
  transport.close();
});
