import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** One internet socket of a process; `peer` has port 0 where there is none. */
export interface InetSocket {
  readonly protocol: "tcp" | "tcp6" | "udp" | "udp6";
  readonly localPort: number;
  readonly peerPort: number;
}

/** The internet sockets that a process holds now, as the kernel knows them. */
export function inetSockets(pid: number): readonly InetSocket[] {
  const mine = new Set(socketInodes(pid));
  return (["tcp", "tcp6", "udp", "udp6"] as const).flatMap((protocol) =>
    readFileSync(`/proc/${pid}/net/${protocol}`, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => mine.has(fields[9] ?? ""))
      .map(([, local = "", peer = ""]) => ({ protocol, localPort: portOf(local), peerPort: portOf(peer) })),
  );
}

function socketInodes(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).match(/^socket:\[(\d+)\]$/)?.[1] ?? [];
    } catch {
      return []; // closed meanwhile
    }
  });
}

const portOf = (address: string) => Number.parseInt(address.split(":")[1] ?? "", 16);
