import { describe, expect, test } from "bun:test";
import { fake, fakeProbe, runUntilStopped } from "../manager/testing/components.ts";
import { startWorld } from "../manager/testing/world.ts";

const node = { kube: false, leadership: "none", driver: "none" } as const;

/** What every JavaScript object inherits, and nobody declares. */
const inherited = ["constructor", "toString", "hasOwnProperty", "__proto__"];

describe("the command line", () => {
  for (const name of inherited) {
    test.each([
      ["flag", [`--${name}=1`], 2, `unknown flag: --${name}`],
      ["bare flag", [`--${name}`], 2, `unknown flag: --${name}`],
      ["flag of a component", [`--a-${name}=1`], 2, `unknown flag: --a-${name}`],
      ["controller", [`--controllers=${name}`], 1, `\\"${name}\\" is not in the list of known controllers`],
      ["gate", [`--feature-gates=${name}=true`], 1, `unrecognized feature gate: ${name}`],
      ["command", [name], 2, `unexpected argument "${name}"`],
    ] as const)(`knows no %s ${name}`, async (_, flags, code, output) => {
      await using world = await startWorld();
      const program = world.run([fake("a", node)], flags);
      expect(await program.ended()).toBe(code);
      expect(program.stdout() + program.stderr()).toContain(output);
    });
  }

  for (const [what, flags, code, output] of [
    ["help", ["--help"], 0, "Usage: csi-sidecars"],
    ["version", ["--version"], 0, "csi-sidecars v1.2.3\n"],
    ["an unknown flag", ["--nonsense"], 2, "--nonsense"],
    ["a value that cannot be read", ["--timeout=soon"], 2, "--timeout"],
    ["an unknown controller", ["--controllers=nobody"], 1, '\\"nobody\\" is not in the list of known controllers'],
    ["an unknown controller left out", ["--controllers=*,-nobody"], 1, '\\"nobody\\" is not in the list of known controllers'],
    ["an unknown gate", ["--feature-gates=Nothing=true"], 1, "unrecognized feature gate: Nothing"],
    ["a bad log format", ["--logging-format=xml"], 1, "LoggingConfiguration is invalid: format"],
    ["two endpoints", ["--http-endpoint=:1", "--metrics-address=:2"], 1, "Only one of"],
    [
      "an election that cannot work",
      ["--leader-election", "--leader-election-lease-duration=5s"],
      1,
      "--leader-election-lease-duration, --leader-election-renew-deadline, --leader-election-retry-period: leaseDuration must be greater",
    ],
    [
      "a lease that is too short to act on",
      [
        "--leader-election",
        "--leader-election-lease-duration=1900ms",
        "--leader-election-renew-deadline=1500ms",
        "--leader-election-retry-period=500ms",
      ],
      1,
      "--leader-election-retry-period: leaseDuration must be at least 2s: a leader acts until one second before its lease expires",
    ],
    ["no cluster", ["--kubeconfig=/nonexistent"], 1, "/nonexistent"],
    ["an address that is none", ["--http-endpoint=nowhere", "--controllers=b"], 1, "--http-endpoint: "],
  ] as const) {
    test(`with ${what} ends with ${code}`, async () => {
      await using world = await startWorld();
      const program = world.run([fake("a", { kube: true, driver: "none" }), fake("b", node)], flags);
      expect(await program.ended()).toBe(code);
      expect(program.stdout() + program.stderr()).toContain(output);
      expect(program.stderr()).not.toContain(".ts:");
    });
  }

  for (const [what, components, flags, tuned] of [
    ["without an API server is tuned for a node", [fake("b", node)], [], ["node"]],
    ["with one is tuned for a controller", [fake("a", { kube: true, driver: "none" }), fake("b", node)], [], ["controller"]],
    ["that ends at once is not restarted with runtime settings", [fake("b", { ...node, exitEarly: () => 0 })], [], []],
    ["that only tells its version is not restarted with runtime settings", [fake("b", node)], ["--version"], []],
    ["that cannot run is not restarted with runtime settings", [fake("b", node)], ["--http-endpoint=:1", "--metrics-address=:2"], []],
  ] as const) {
    test(`a process ${what}`, async () => {
      await using world = await startWorld({ cluster: true });
      const workloads: string[] = [];
      const program = world.run(components, flags, { tune: (workload) => void workloads.push(workload) });
      program.signal();
      await program.ended();
      expect(workloads).toEqual([...tuned]);
    });
  }

  test.each([
    ["that is not given", [], "a-timeout"],
    ["as it was typed", ["--timeout=7s"], "timeout"],
  ])("that needs an environment which is not there does not start, and says under which flag, %s", async (_, flags, name) => {
    await using world = await startWorld();
    const a = fake("a", {
      ...node,
      missingEnvironment: (_flags, { env, flagName }) => (env.PLACE ? [] : [`PLACE is needed by --${flagName("timeout")}.`]),
    });
    const program = world.run([a], flags);
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toContain(`PLACE is needed by --${name}.`);
    expect(a.contexts).toEqual([]);
  });

  test("with warnings still runs", async () => {
    await using world = await startWorld();
    const a = fake("a", node);
    const program = world.run([a, fake("b", node)], ["--controllers=a", "--b-timeout=1s"]);
    await program.until("a runs", () => a.contexts.length === 1);
    expect(program.stderr()).toContain("--b-timeout has no effect: b is not enabled");
    expect(program.stderr()).toContain('logger="csi-sidecars" version="v1.2.3"');
    program.signal();
    expect(await program.ended()).toBe(0);
  });

  test("of a single controller takes all its flags without prefix, and gives it its values", async () => {
    await using world = await startWorld();
    const a = fake("a", node);
    const program = world.run([a, fake("b", node)], ["--controllers=a", "--timeout=7s", "--kube-api-qps=3", "--health-endpoint=x"]);
    await program.until("a runs", () => a.contexts.length === 1);
    expect(a.contexts[0]?.flags).toMatchObject({ timeout: 7_000, kubeApiQps: 3, healthEndpoint: "x" });
    const { flagName, isOnlyComponent } = a.contexts[0]!;
    expect([flagName("timeout"), flagName("kube-api-burst"), isOnlyComponent]).toEqual(["timeout", "a-kube-api-burst", true]);
  });
});

describe("without any API access", () => {
  test("node-side components run; leader election without elected components touches nothing", async () => {
    await using world = await startWorld();
    await world.driver();
    const registrar = fake("registrar", { leadership: "none", driver: "named", start: runUntilStopped });
    const probe = fakeProbe();
    const program = world.run([registrar, probe], ["--leader-election", "--http-endpoint=127.0.0.1:0"]);
    await program.until("both run", () => registrar.contexts.length === 1 && probe.contexts.length === 1);
    expect(registrar.contexts[0]?.driver.name).toBe("driver.example.com");
    await expect(registrar.contexts[0]?.kube.get({} as never, { name: "x" })).rejects.toThrow(
      "registrar declares that it needs no API server",
    );
    expect(await program.get("/healthz")).toEqual([200, "ok"]);
  });
});

describe("a listener", () => {
  test("whose address is taken ends the process, naming the flag", async () => {
    await using world = await startWorld();
    const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const address = `127.0.0.1:${taken.port}`;
    const own = () => fake("own", { ...node, ownEndpoint: () => ({ address, flag: "health-endpoint" }) });
    const [shared, single] = [world.run([fake("a", node)], [`--http-endpoint=${address}`]), world.run([own()])];
    const typed = world.run([own()], [`--health-endpoint=${address}`]);
    expect([await shared.ended(), await single.ended(), await typed.ended()]).toEqual([1, 1, 1]);
    expect(shared.stderr()).toContain(`--http-endpoint: cannot listen on ${address}: address already in use`);
    expect(single.stderr()).toContain(`--own-health-endpoint: cannot listen on ${address}: address already in use`);
    expect(typed.stderr()).toContain(`--health-endpoint: cannot listen on ${address}: address already in use`);
    await taken.stop(true);
  });
});

test("the last line says that it exits: errors that were counted are shown before", async () => {
  await using world = await startWorld();
  const program = world.run([
    fake("a", {
      ...node,
      start: async (context) => {
        for (let n = 0; n < 3; n++) context.log.error(new Error("no answer"), "Sync failed", { key: "v1" });
        return runUntilStopped(context);
      },
    }),
  ]);
  await program.until("it has failed", () => program.stderr().includes("Sync failed"));
  program.signal();
  expect(await program.ended()).toBe(0);
  const lines = program.stderr().trim().split("\n");
  expect(lines.at(-1)).toContain('"Exiting"');
  expect(lines.filter((line) => line.includes("repeated=2"))).toHaveLength(1);
});
