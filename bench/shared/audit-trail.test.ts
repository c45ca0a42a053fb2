import { expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditTrail } from "./audit-trail.ts";

const line = (username: string, verb: string, resource: string, code: number, stage = "ResponseComplete") =>
  `${JSON.stringify({ stage, verb, user: { username }, objectRef: { resource }, responseStatus: { code }, requestReceivedTimestamp: "2026-01-01T00:00:00Z" })}\n`;

test("each request of a user is told once, also when the log is begun anew between two questions", () => {
  const folder = mkdtempSync(join(tmpdir(), "audit-trail-"));
  try {
    const file = join(folder, "audit.log");
    const trail = new AuditTrail(file, ["anna"]);
    const told = () => trail.requestsOf("anna").map(({ what, code }) => `${what} ${code}`);
    const second = line("anna", "delete", "persistentvolumes", 404);

    writeFileSync(file, line("anna", "create", "persistentvolumes", 201) + line("ben", "create", "events", 201) + second.slice(0, 40));
    expect(told()).toEqual(["create persistentvolumes 201"]);

    appendFileSync(file, second.slice(40) + line("anna", "watch", "nodes", 200));
    renameSync(file, join(folder, "audit-2026-01-01T00-00-00.000.log"));
    writeFileSync(file, line("anna", "watch", "nodes", 200, "ResponseStarted"));
    const all = ["create persistentvolumes 201", "delete persistentvolumes 404", "watch nodes 200"];
    expect(told()).toEqual(all);
    expect(told()).toEqual(all);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
