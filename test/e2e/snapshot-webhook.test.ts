import { describe, expect, test } from "bun:test";
import { startWebhook } from "../webhook/testing/webhook-process.ts";
import { binary } from "./testing/binary.ts";
import { SidecarProcess } from "./testing/sidecar-process.ts";

/** The flags that `--help` shows. */
function flagsIn(help: string): readonly string[] {
  return [...help.matchAll(/^ {2}--(\S+)/gm)].map(([, name = ""]) => name).sort();
}

const logging = [
  ...["log-flush-frequency", "log-json-info-buffer-size", "log-json-split-stream", "log-text-info-buffer-size"],
  ...["log-text-split-stream", "logging-format", "v", "vmodule"],
];
const serverFlags = ["port", "tls-cert-file", "tls-private-key-file"];
const classFlags = ["enable-volume-group-snapshot-webhook", "kubeconfig", "prevent-volume-mode-conversion"];

describe.each([
  ["snapshot-conversion-webhook", [...serverFlags, "automaxprocs", ...logging]],
  ["snapshot-validation-webhook", [...serverFlags, ...classFlags, "v", "vmodule"]],
])("%s", (name, flags) => {
  test("has upstream's flags, called by its name or with it as the first argument", () => {
    const help = (command: readonly string[]) => Bun.spawnSync([...command, "--help"]).stdout.toString();
    const linked = help([binary(name)]);
    expect(linked).toContain(`Usage: ${name} [flags]`);
    expect(flagsIn(linked)).toEqual([...flags].sort());
    expect(help([binary("snapshot-webhook"), name])).toBe(linked);
  });

  test.each([
    ["an unknown flag", 2, ["--no-such-flag"], "no-such-flag"],
    ["a flag of both in one", 2, ["--bind-address=127.0.0.1"], "bind-address"],
    [
      "a port that is none",
      1,
      ["--port=70000", "--tls-cert-file=a", "--tls-private-key-file=b"],
      'invalid value \\"70000\\" for flag --port: must be between 0 and 65535',
    ],
  ])("%s: exit code %i", async (_what, code, args, says) => {
    await using webhook = new SidecarProcess("pod", args, { program: name });
    expect(await webhook.exit()).toBe(code);
    expect(webhook.output).toContain(says);
  });
});

test.each([
  ["snapshot-conversion-webhook", [], "--tls-cert-file must be specified"],
  ["snapshot-conversion-webhook", ["--tls-cert-file=a"], "--tls-private-key-file must be specified"],
  ["snapshot-webhook", [], "--tls-cert-file must be specified"],
  ["snapshot-validation-webhook", [], 'required flag(s) \\"tls-cert-file\\", \\"tls-private-key-file\\" not set'],
  ["snapshot-validation-webhook", ["--tls-cert-file=a"], 'required flag(s) \\"tls-private-key-file\\" not set'],
  ["snapshot-validation-webhook", ["--tls-cert-file=a", "--tls-private-key-file=b"], "unable to load in-cluster configuration"],
  ["snapshot-conversion-webhook", ["--tls-cert-file=/absent", "--tls-private-key-file=/absent"], "failed to initialize new cert watcher: "],
])("%s %p: exit code 1", async (program, args, says) => {
  await using webhook = new SidecarProcess("pod", args, { program });
  expect(await webhook.exit()).toBe(1);
  expect(webhook.output).toContain(says);
});

describe("snapshot-webhook", () => {
  test("outside of a cluster converts, asks for nothing else, and ends cleanly", async () => {
    await using webhook = await startWebhook(["--http-endpoint=127.0.0.1:0"]);
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`https://127.0.0.1:${webhook.port}${path}`, {
        tls: { ca: webhook.authority.pem },
        ...(body && { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      return [response.status, await response.text()] as const;
    };
    expect(await ask("/readyz")).toEqual([200, "ok"]);
    const [from, to] = ["groupsnapshot.storage.k8s.io/v1beta2", "groupsnapshot.storage.k8s.io/v1"];
    const object = { apiVersion: from, kind: "VolumeGroupSnapshotContent", metadata: { name: "a" } };
    const request = { uid: "u", desiredAPIVersion: to, objects: [object] };
    const [status, text] = await ask("/convert", { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
    expect(status).toBe(200);
    expect(JSON.parse(text).response).toEqual({
      uid: "u",
      convertedObjects: [{ ...object, apiVersion: to }],
      result: { status: "Success" },
    });
    for (const path of ["/volumesnapshot", "/volumegroupsnapshot", "/"]) expect(await ask(path, {})).toEqual([404, "404 page not found\n"]);
    expect((await webhook.process.get("/metrics"))[1]).toContain('csi_sidecars_webhook_requests_total{path="/convert",status="200"} 1');
    expect((await webhook.process.get("/readyz"))[0]).toBe(200);
    expect(await webhook.process.end()).toBe(0);
  });

  test("refuses a port that is taken", async () => {
    await using first = await startWebhook([]);
    const args = ["--bind-address=127.0.0.1", `--port=${first.port}`];
    await using second = new SidecarProcess("second", [...args, ...first.files], { program: "snapshot-webhook" });
    expect(await second.exit()).toBe(1);
    expect(second.output).toContain("EADDRINUSE");
  });
});
