import { expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditLog } from "./audit-log.ts";

const line = (username: string, verb: string, resource: string, code: number, stage = "ResponseComplete") =>
  `${JSON.stringify({ stage, verb, user: { username }, objectRef: { resource }, responseStatus: { code }, requestReceivedTimestamp: "2026-01-01T00:00:00Z" })}\n`;

test("each request of a user is reported once, also when the log is rotated between two reads", () => {
  const folder = mkdtempSync(join(tmpdir(), "audit-log-"));
  try {
    const file = join(folder, "audit.log");
    const log = new AuditLog(file, ["anna"]);
    const reported = () => log.requestsOf("anna").map(({ what, code }) => `${what} ${code}`);
    const second = line("anna", "delete", "persistentvolumes", 404);

    writeFileSync(file, line("anna", "create", "persistentvolumes", 201) + line("ben", "create", "events", 201) + second.slice(0, 40));
    expect(reported()).toEqual(["create persistentvolumes 201"]);

    appendFileSync(file, second.slice(40) + line("anna", "watch", "nodes", 200));
    renameSync(file, join(folder, "audit-2026-01-01T00-00-00.000.log"));
    writeFileSync(file, line("anna", "watch", "nodes", 200, "ResponseStarted"));
    const all = ["create persistentvolumes 201", "delete persistentvolumes 404", "watch nodes 200"];
    expect(reported()).toEqual(all);
    expect(reported()).toEqual(all);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
