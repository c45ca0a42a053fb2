import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advanceUntil, FakeClock } from "@csi-sidecars/base/testing";
import { ControllerDefinition, GrpcServer, IdentityDefinition, type ServiceHandlers } from "@csi-sidecars/csi";
import type { Environment } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import type { Component } from "../../component.ts";
import type { Lead } from "../../leadership/leadership.ts";
import { lead } from "../../leadership/lease-candidate.ts";
import type { Sink } from "../../logging/sink.ts";
import type { Fault, ProcessEnv } from "../../program/process-env.ts";
import { runProgram } from "../../program/run-program.ts";

type Identity = ServiceHandlers<typeof IdentityDefinition>;

export interface RunOptions {
  readonly form?: "all-in-one" | "individual";
  readonly hostName?: string;
  readonly env?: Environment;
  readonly lead?: Lead;
  readonly tune?: ProcessEnv["tune"];
}

/** A program that runs in this process, with its own clock. */
export interface RunningProgram {
  readonly clock: FakeClock;
  /** The exit code once it has ended. */
  code: number | undefined;
  readonly stdout: () => string;
  readonly stderr: () => string;
  signal(name?: string): void;
  fault(fault: Fault): void;
  get(path: string, listener?: number): Promise<readonly [number, string]>;
  /** Lets time pass, many times as fast as it does, until something has happened. */
  until(what: string, happened: () => boolean | Promise<boolean>): Promise<void>;
  /** Waits for its end. */
  ended(): Promise<number>;
}

/** A folder, a driver's socket and, where asked for, a cluster: what a program runs in. Gone at the end of the block. */
export async function startWorld(options: { readonly cluster?: boolean | "own" } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "csi-manager-"));
  const cluster: Cluster | undefined = options.cluster ? await startCluster({ own: options.cluster === "own" }) : undefined;
  const socket = join(folder, "csi.sock");
  const kubeconfig = join(folder, "kubeconfig");
  const terminationLog = join(folder, "termination-log");
  await writeFile(terminationLog, "");
  if (cluster) await writeFile(kubeconfig, cluster.kubeconfig(cluster.adminToken));
  const drivers: GrpcServer[] = [];
  const programs: RunningProgram[] = [];

  return {
    cluster: cluster as Cluster,
    socket,
    /** Starts a driver; the one before must have been killed. */
    async driver(identity: Identity = {}, calls: string[] = []): Promise<GrpcServer> {
      const handlers: Identity = {
        getPluginInfo: () => ({ name: "driver.example.com" }),
        probe: () => ({ ready: true }),
        getPluginCapabilities: () => ({ capabilities: [] }),
        ...identity,
      };
      const counted = Object.fromEntries(
        Object.entries(handlers).map(([name, handler]) => [
          name,
          (...args: unknown[]) => {
            calls.push(name);
            return (handler as (...given: unknown[]) => unknown)(...args);
          },
        ]),
      ) as Identity;
      const server = new GrpcServer().serve(IdentityDefinition, counted).serve(ControllerDefinition, {
        deleteVolume: () => {
          calls.push("deleteVolume");
          return {};
        },
      });
      await server.listen({ path: socket });
      drivers.push(server);
      return server;
    },
    terminationMessage: () => readFile(terminationLog, "utf8"),
    run(components: readonly Component[], flags: readonly string[] = [], given: RunOptions = {}): RunningProgram {
      const clock = new FakeClock();
      const out = memorySink();
      const err = memorySink();
      const signals = new Set<(name: string) => void>();
      const faults = new Set<(fault: Fault) => void>();
      const form = given.form ?? "all-in-one";
      const name = form === "all-in-one" ? "csi-sidecars" : (components[0]?.standalone ?? "");
      const argv = [`--csi-address=${socket}`, ...(cluster ? [`--kubeconfig=${kubeconfig}`] : []), ...flags];
      const program: RunningProgram = {
        clock,
        code: undefined,
        stdout: out.text,
        stderr: err.text,
        signal: (signal = "SIGTERM") => {
          for (const listener of [...signals]) listener(signal);
        },
        fault: (fault) => {
          for (const listener of [...faults]) listener(fault);
        },
        async get(path, listener = 0) {
          const address = [...err.text().matchAll(/"HTTP server is listening".* address="([^"]+)"/g)][listener]?.[1] ?? "nowhere";
          const response = await fetch(`http://${address.replace(/^:/, "127.0.0.1:")}${path}`);
          return [response.status, await response.text()];
        },
        until: (what, happened) => advanceUntil(clock, () => `${what}\n${err.text()}`, happened, { stepMs: 20, limitMs: 25_000 }),
        async ended() {
          await program.until("the program ends", () => program.code !== undefined);
          return program.code as number;
        },
      };
      const ends = runProgram(
        { name, version: "v1.2.3", form, components },
        {
          argv,
          env: given.env ?? {},
          clock,
          random: Math.random,
          pid: 7,
          hostName: given.hostName ?? "pod-1",
          stdout: out.sink,
          stderr: err.sink,
          signals: subscription(signals),
          faults: subscription(faults),
          terminationLog,
          lead: given.lead ?? lead,
          ...(given.tune && { tune: given.tune }),
        },
      );
      void ends.then((code) => {
        program.code = code;
      });
      programs.push(program);
      return program;
    },
    async [Symbol.asyncDispose]() {
      for (const program of programs) {
        program.signal();
        program.signal();
        await program.ended();
      }
      await Promise.all(drivers.map((driver) => driver.kill()));
      await cluster?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function memorySink(): { readonly sink: Sink; readonly text: () => string } {
  let text = "";
  return {
    sink: {
      write: (more) => {
        text += more;
      },
      flush() {},
    },
    text: () => text,
  };
}

function subscription<T>(listeners: Set<(what: T) => void>) {
  return (listener: (what: T) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}
