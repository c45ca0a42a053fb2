import { once } from "node:events";
import { createServer } from "node:net";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import { Refusal } from "../refusal.ts";

/** Refuses a port that the API server cannot have, before anything is started for it. */
export async function checkPort(port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  try {
    const listening = once(server, "listening");
    server.listen(port, "127.0.0.1");
    await listening;
  } catch (error) {
    const remedy = remedies[systemErrorCode(error) ?? ""] ?? `cannot be used (${messageOf(error)})`;
    throw new Refusal(`--port: 127.0.0.1:${port} ${remedy}`);
  }
  await new Promise((closed) => server.close(closed));
}

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use; give another port, or none for a free one",
  EACCES: "needs privileges; give a port from 1024 on",
};
