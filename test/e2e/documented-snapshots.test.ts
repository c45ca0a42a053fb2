import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installedAssets } from "@csi-sidecars/testcluster";
import { createClaim, interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

const assets = installedAssets(process.env);
const page = readFileSync(join(import.meta.dirname, "../../docs/snapshots.md"), "utf8");

/** The manifests and commands of the part for users, in their order. */
const steps = [...page.slice(page.indexOf("## Take a snapshot")).matchAll(/^```(yaml|sh)\n(.*?)^```$/gms)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.skipIf(assets === undefined)("what docs/snapshots.md tells users to do works in the playground", () => {
  test.each([[[]], [["--real"]]])(
    "%p",
    async (flags: string[]) => {
      const env = { PATH: `${assets}:/usr/bin:/bin`, HOME: world.folder, KUBEBUILDER_ASSETS: assets ?? "" };
      const run = world.start(flags, env);
      await ready(run);
      const kubeconfig = /KUBECONFIG=(\S+)/.exec(run.output())?.[1] ?? "";
      const shell = (command: string, input = "") => {
        const { status, stdout, stderr } = spawnSync("sh", ["-ec", command], {
          env: { ...env, KUBECONFIG: kubeconfig },
          input,
          encoding: "utf8",
        });
        if (status !== 0) throw new Error(`${command}: exit code ${status}: ${stdout}${stderr}`);
        return stdout;
      };
      await createClaim(kubeconfig, "data");
      await until("the claim", () => run.output().includes("claim default/data Bound"));

      const printed: string[] = [];
      for (const { language, text } of steps) {
        if (language === "sh") printed.push(shell(text));
        else {
          // Not that of a group's snapshot, which cannot be deleted alone.
          const content = "$(kubectl get vs data-monday -o jsonpath={.status.boundVolumeSnapshotContentName})";
          const handle = () => shell(`kubectl get vsc ${content} -o jsonpath={.status.snapshotHandle}`);
          shell("kubectl apply -f -", text.includes("HANDLE") ? text.replace("HANDLE", handle()) : text);
        }
      }
      const output = printed.join("");
      expect(output).toMatch(/^data-monday +true +data +1Gi +nightly +snapcontent-/m);
      expect(output).toMatch(/^snapshot-\S+ +data +shop-monday$/m);
      expect(output).toMatch(/^snapshot-\S+ +data-restored +shop-monday$/m);
      expect(output).toContain('"imported" deleted');
      await until("the end of all snapshots", () => shell("kubectl get vs,vsc,vgs,vgsc -A -o name") === "");
      expect(await interrupt(run)).toBe(0);
      expect(world.leftovers()).toEqual([]);
    },
    90_000,
  );
});
