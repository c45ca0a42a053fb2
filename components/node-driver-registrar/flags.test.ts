import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { runInProcess } from "@csi-sidecars/testcluster";
import { nodeDriverRegistrar } from "./component.ts";
import { healthEndpoint, type RegistrarFlags } from "./flags.ts";
import { testNode } from "./testing/node.ts";

const path = "--kubelet-registration-path=/host/csi.sock";
const probe = "--mode=kubelet-registration-probe";
const both = ["--health-port=1", "--http-endpoint=:2"];

describe("each step of reading the flags comes before the next", () => {
  for (const [what, argv, code, output] of [
    ["a flag it does not know", ["--metrics-path=/m", "--logging-format=xml"], 2, "--metrics-path"],
    ["help", ["--help"], 0, "--kubelet-registration-path"],
    ["a bad log format", ["--logging-format=xml", "--version"], 1, "LoggingConfiguration is invalid"],
    ["the version", ["--version"], 0, "csi-node-driver-registrar v1.2.3"],
    ["no path", [], 1, "--kubelet-registration-path is a required parameter"],
    ["no path for the probe", [probe], 1, "--kubelet-registration-path is a required parameter"],
    ["the probe", [probe, path, ...both], 0, ""],
    ["two listeners", [path, ...both], 1, "Only one of `--health-port` and `--http-endpoint` can be set"],
    ["a listener that cannot be had", [path, "--http-endpoint=192.0.2.1:80"], 1, "--http-endpoint"],
  ] as const) {
    test(`${what}: ${code}`, async () => {
      await using run = await runInProcess([nodeDriverRegistrar], ["--csi-address=/nowhere", ...argv]);
      expect(await run.exit).toBe(code);
      expect(run.output()).toContain(output);
    });
  }
});

test("the probe opens nothing, not even when a driver is there", async () => {
  await using node = await testNode();
  const run = await node.registrar([probe]);
  expect(await run.exit).toBe(0);
  expect(node.driver.calls()).toEqual([]);
  expect(await readdir(node.registry)).toEqual([]);
});

test("another mode registers, and old flags do no harm", async () => {
  await using node = await testNode();
  const run = await node.registrar(["--mode=registration", "--connection-timeout=10s", "--automaxprocs", "--enable-pprof", "--v=5"]);
  await run.wrote("Registration Server started");
  expect(run.output()).toContain("--connection-timeout");
});

test("in the all-in-one both spellings work, and the probe is none of its business", async () => {
  await using node = await testNode();
  const form = { form: "all-in-one" } as const;
  const run = await node.registrar(["--controllers=node-driver-registrar", "--node-driver-registrar-timeout=2s"], form);
  await run.wrote("Registration Server started");
  const neighbour = { ...nodeDriverRegistrar, name: "neighbour", aliases: [] };
  const probing = await node.registrar(["--controllers=node-driver-registrar,neighbour", `--node-driver-registrar-${probe.slice(2)}`], {
    ...form,
    beside: [neighbour],
  });
  expect(await probing.exit).not.toBe(0);
});

test("health is served where the flags say, or nowhere", () => {
  const at = (flags: Partial<RegistrarFlags>) => healthEndpoint({ httpEndpoint: "", healthPort: 0, ...flags } as RegistrarFlags)?.address;
  expect([at({}), at({ healthPort: -1 }), at({ healthPort: 9809 }), at({ httpEndpoint: "localhost:1" })]).toEqual([
    undefined,
    undefined,
    ":9809",
    "localhost:1",
  ]);
});
