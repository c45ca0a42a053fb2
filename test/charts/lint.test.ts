import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { chartsFolder } from "../../tools/generate-deploy/chart-files.ts";
import { Charts, helmIsMissing } from "./testing/helm.ts";
import { valueSets } from "./testing/value-sets.ts";

describe.skipIf(helmIsMissing !== "")(`helm${helmIsMissing}`, () => {
  let charts: Charts;
  beforeAll(async () => {
    charts = await Charts.copy();
  });
  afterAll(() => charts[Symbol.asyncDispose]());

  test.each(valueSets)("lints without complaint: %s: %s", async (_about, chart, values) => {
    const { exitCode, stdout } = await charts.helm(["lint", `./${chart}`, "--strict", "--values=-"], values);
    expect(stdout.replace("[INFO] Chart.yaml: icon is recommended\n", "")).not.toMatch(/\[(WARNING|ERROR|INFO)\]/);
    expect(exitCode).toBe(0);
  });

  test("lints the library", async () => {
    const { exitCode, stdout } = await charts.helm(["lint", "./csi-sidecars", "--strict"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("1 chart(s) linted, 0 chart(s) failed")]);
  });

  test("packages a driver's chart with the library as the guide says", async () => {
    await cp(join(chartsFolder, "example-driver"), join(charts.folder, "my-driver"), {
      recursive: true,
      filter: (path) => !path.endsWith("/charts") || path.endsWith("deploy/charts"),
    });
    expect(await charts.helm(["dependency", "update", "./my-driver"])).toMatchObject({ exitCode: 0 });
    expect(await charts.helm(["package", "./my-driver"])).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await charts.helm(["template", "release", "./example-driver-0.1.0.tgz"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("kind: DaemonSet")]);
  });
});
