import { expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { createClient } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { allInOne, mover } from "../testing/programs.ts";
import { startReport } from "./start-report.ts";

test("what is missing is in the log; nothing is said after the end", async () => {
  await using cluster = await startCluster();
  const transport = cluster.transport(cluster.newUser().token);
  const kube = createClient({ transport, clock: systemClock, log: silentLogger, name: "report", qps: -1, burst: 0 });
  const components = [{ component: mover, rules: mover.rbac({ timeout: 1_000 }), kinds: [] }];
  const options = { program: allInOne, components, namespace: "default", kube, clock: systemClock, signal: new AbortController().signal };

  const log = recordingLogger(0);
  await startReport(options, log);
  expect(log.lines.map(({ severity, message, fields }) => [severity, fields.controller, message].join(" | "))).toEqual([
    "error | mover | Compatibility: may not patch, get, list, watch persistentvolumes",
    "error | mover | Compatibility: may not get, list, watch, patch volumeattachments.storage.k8s.io",
    "error | mover | Compatibility: may not patch volumeattachments.storage.k8s.io/status",
    "info | mover | Warning: compatibility: may not get secrets (reads the secrets that volumes name)",
  ]);

  const late = recordingLogger(0);
  await startReport({ ...options, signal: AbortSignal.abort() }, late);
  expect(late.lines).toEqual([]);
});
