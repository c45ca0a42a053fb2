import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCsiProxy } from "@csi-sidecars/csi-proxy";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { parseAllDocuments } from "yaml";
import { services } from "../../packages/csi-proxy/server/services.ts";
import type { Manifest } from "../../tools/generate-deploy/manifests.ts";
import { dryRun } from "./testing/dry-run.ts";

const guide = readFileSync(join(import.meta.dirname, "../../docs/csi-proxy-migration.md"), "utf8");

/** The rows of the table of a group: methods of the client, and those of the library. */
function rowsOf(group: string): readonly { readonly client: readonly string[]; readonly library: readonly string[] }[] {
  const [, table = ""] = new RegExp(`^### ${group} .*?\\n(.*?)(?=^#)`, "ms").exec(guide) ?? [];
  return table
    .split("\n")
    .filter((line) => /^\| [`–]/.test(line))
    .map((line) => {
      const [, client = "", library = ""] = line.split("|");
      const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
      return { client: quoted(client), library: quoted(library) };
    });
}

const newest = {
  disk: [services.disk.v1],
  volume: [services.volume.v1, services.volume.v2alpha1],
  filesystem: [services.filesystem.v1, services.filesystem.v2alpha1],
  smb: [services.smb.v1],
  iscsi: [services.iscsi.v1alpha2],
  system: [services.system.v1alpha1],
} as const;

describe.each(Object.entries(newest))("the table of %s", (group, versions) => {
  const proxy = createCsiProxy();
  const handler = new Map(Object.entries(proxy)).get(group) as object;
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(handler)).filter((name) => name !== "constructor");
  const rows = rowsOf(group);

  test("has every method of the API", () => {
    const names = versions.flatMap(({ methods }) => Object.values(methods).map(({ name }) => name));
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => !rows.some(({ client }) => client.includes(name)))).toEqual([]);
  });

  test("names methods that the library has, and all of them", () => {
    const named = rows.flatMap(({ library }) => library);
    expect(named.filter((name) => !methods.includes(name.replace(`${group}.`, "")))).toEqual([]);
    // The library has it for the server only.
    const internal = ["getDiskNumberByName"];
    expect(methods.filter((name) => !internal.includes(name) && !named.includes(`${group}.${name}`))).toEqual([]);
  });
});

describe("the policy for admission", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());
  const [yaml = ""] = [...guide.matchAll(/^ {2}```yaml\n(.*?)^ {2}```$/gms)].map(([, block = ""]) => block.replace(/^ {2}/gm, ""));
  const manifests = parseAllDocuments(yaml).map((document): Manifest => document.toJS());

  test("is there", () => {
    expect(manifests.map(({ kind }) => kind)).toEqual(["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]);
  });

  // The embedded server has no admission policies, and compiles no CEL of theirs.
  test.skipIf(process.env.TESTCLUSTER !== "real").each(manifests)("is taken by the API server: %#", async (manifest) => {
    expect(await dryRun(cluster, manifest)).toMatchObject({ kind: manifest.kind });
  });
});
