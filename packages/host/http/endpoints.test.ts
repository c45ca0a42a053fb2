import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { fake, fakeProbe } from "../manager/testing/components.ts";
import { startWorld } from "../manager/testing/world.ts";

setDefaultTimeout(20_000);

const simple = { leadership: "none", driver: "none" } as const;

describe("the HTTP endpoint", () => {
  test("serves everything on one port", async () => {
    await using world = await startWorld();
    await world.driver();
    const a = fake("a", { leadership: "none" });
    const probe = fakeProbe();
    const program = world.run([a, probe], ["--http-endpoint=127.0.0.1:0", "--enable-pprof", "--metrics-path=/m"]);
    await program.until("a runs", () => a.contexts.length === 1);
    const pages = ["/healthz", "/healthz/probe", "/healthz/a", "/healthz/leader-election", "/livez", "/readyz"];
    expect(await Promise.all(pages.map((path) => program.get(path)))).toEqual(pages.map(() => [200, "ok"] as const));
    expect((await program.get("/livez?verbose"))[1]).toBe(
      "[+]event-loop ok\n[+]leader-election ok\n[+]controllers ok\nlivez check passed\n",
    );
    expect((await program.get("/debug/pprof/"))[0]).toBe(200);
    expect(await program.get("/metrics")).toEqual([404, "404 page not found\n"]);
    const [, metrics] = await program.get("/m");
    for (const family of [
      "process_start_time_seconds",
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "nodejs_heap_size_used_bytes",
      "csi_sidecar_operations_seconds_count",
      "csi_sidecars_event_loop_lag_seconds",
      "csi_sidecars_controller_running",
    ]) {
      expect(metrics).toMatch(new RegExp(`^${family}`, "m"));
    }
    expect(metrics.match(/^process_start_time_seconds /gm)).toHaveLength(1);
  });

  test("answers plain /healthz with ok where no component takes precedence, and by the highest where several do", async () => {
    await using world = await startWorld();
    const check = (body: string) => ({
      async start({ health, signal }: Parameters<ReturnType<typeof fake>["start"]>[0]) {
        health(() => ({ status: 200, body }));
        return { done: new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())) };
      },
    });
    const plain = world.run([fake("a", { ...simple, ...check("a") })], ["--http-endpoint=127.0.0.1:0"]);
    await plain.until("it answers", async () => (await plain.get("/healthz/a"))[1] === "a");
    expect(await plain.get("/healthz")).toEqual([200, "ok"]);
    const several = world.run(
      [fake("a", { ...simple, ...check("a"), healthPrecedence: 1 }), fake("b", { ...simple, ...check("b"), healthPrecedence: 2 })],
      ["--http-endpoint=127.0.0.1:0"],
    );
    await several.until("it answers", async () => (await several.get("/healthz"))[1] === "b");
  });
});

test("an individual program without leader election has no page about it, as upstream's; the all-in-one always has it", async () => {
  await using world = await startWorld();
  const flags = ["--http-endpoint=127.0.0.1:0"];
  const individual = world.run([fake("a", { ...simple, leadership: "required" })], flags, { form: "individual" });
  await individual.until("it listens", () => individual.stderr().includes("HTTP server is listening"));
  expect([await individual.get("/healthz/leader-election"), await individual.get("/healthz")]).toEqual([
    [404, "404 page not found\n"],
    [200, "ok"],
  ]);
  const allInOne = world.run([fake("a", simple)], flags);
  await allInOne.until("it listens", () => allInOne.stderr().includes("HTTP server is listening"));
  expect(await allInOne.get("/healthz/leader-election")).toEqual([200, "ok"]);
});

describe("further listeners", () => {
  test("serve a component's health on an address of its own, before it runs and while the driver is away", async () => {
    await using world = await startWorld();
    const late = fakeProbe({ driver: "named" });
    const program = world.run([late], ["--probe-health-endpoint=127.0.0.1:0"]);
    await program.until("it listens", () => program.stderr().includes("HTTP server is listening"));
    expect(await program.get("/healthz")).toEqual([500, "probe is waiting: the CSI driver is not ready"]);
    await world.driver();
    await program.until("it answers", async () => (await program.get("/healthz"))[0] === 200);
    expect((await program.get("/metrics"))[0]).toBe(200);
    expect((await program.get("/livez"))[0]).toBe(404);
  });

  test("serve metrics alone at --metrics-address", async () => {
    await using world = await startWorld();
    const program = world.run([fake("a", simple)], ["--metrics-address=127.0.0.1:0"]);
    await program.until("it listens", () => program.stderr().includes("HTTP server is listening"));
    expect([(await program.get("/metrics"))[0], (await program.get("/healthz"))[0]]).toEqual([200, 404]);
    expect(program.stderr()).toContain("flag --metrics-address is deprecated");
  });
});
