import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../e2e/testing/until.ts";
import { RunningProgram } from "../../running-program.ts";
import { type ContainerSettings, restricted, type Spec } from "./container-spec.ts";

/** A containerd in mount and process namespaces of its own: what it mounts and starts ends with it. */
export class Containerd implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "containerd-"));
  readonly #socket = join(this.folder, "containerd.sock");
  readonly #daemon: RunningProgram;
  #containers = 0;

  private constructor() {
    const config = join(this.folder, "config.toml");
    writeFileSync(
      config,
      [
        "version = 2",
        `root = "${join(this.folder, "root")}"`,
        `state = "/run/containerd"`,
        `disabled_plugins = ["io.containerd.grpc.v1.cri"]`,
        `[grpc]`,
        `address = "${this.#socket}"`,
      ].join("\n"),
    );
    // The sockets of shims are in /run whatever the configuration says.
    const start = `mount -t tmpfs tmpfs /run && exec containerd --config ${config}`;
    const args = ["--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "--propagation", "private", "sh", "-c", start];
    this.#daemon = new RunningProgram("unshare", args, { env: { PATH: process.env.PATH ?? "" } });
  }

  static async start(): Promise<Containerd> {
    const containerd = new Containerd();
    await until("containerd answers", () => {
      if (!containerd.#daemon.running) throw new Error(`containerd ended:\n${containerd.#daemon.output}`);
      return containerd.#try(["version"]).status === 0;
    });
    return containerd;
  }

  /** Imports a Docker archive, and returns the name of the image. */
  import(archive: string): string {
    const imported = this.#ctr(["images", "import", "--snapshotter", "native", archive]);
    const name = /unpacking (\S+)/.exec(imported)?.[1];
    if (!name) throw new Error(`ctr imported nothing: ${imported}`);
    return name;
  }

  /** Starts a container of an image, with every restriction that a pod can have. */
  run(image: string, settings: ContainerSettings): Container {
    const id = `container-${++this.#containers}`;
    const rootfs = settings.rootfs ?? this.#mount(image, join(this.folder, id));
    // What ctr makes of the image: its program and environment, and containerd's profile of system calls.
    const options = ["--snapshotter", "native", "--net-host", "--seccomp", "--read-only"];
    this.#ctr(["containers", "create", ...options, image, `${id}-plan`]);
    const plan: Spec = JSON.parse(this.#ctr(["containers", "info", `${id}-plan`])).Spec;
    const spec = join(this.folder, `${id}.json`);
    writeFileSync(spec, JSON.stringify(restricted(plan, rootfs, settings)));
    const [program = "", ...args] = this.#inside(["ctr", "--address", this.#socket, "run", "--rm", "--config", spec, id]);
    return new Container(new RunningProgram(program, args, { env: { PATH: process.env.PATH ?? "" } }), {
      signal: (signal) => this.#ctr(["tasks", "kill", "--signal", signal, id]),
      pid: () => {
        const listed = this.#ctr(["tasks", "list"])
          .split("\n")
          .map((line) => line.trim().split(/\s+/));
        return Number(listed.find(([name]) => name === id)?.[1] ?? 0);
      },
      proc: (path) => spawnSync(...this.#command(["cat", `/proc/${path}`]), { encoding: "utf8" }).stdout,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon.end("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  #mount(image: string, folder: string): string {
    mkdirSync(folder);
    this.#ctr(["images", "mount", "--rw", "--snapshotter", "native", image, folder]);
    return folder;
  }

  #ctr(args: readonly string[]): string {
    const { status, stdout, stderr } = this.#try(args);
    if (status !== 0) throw new Error(`ctr ${args.join(" ")} failed: ${stderr}`);
    return stdout;
  }

  #try(args: readonly string[]) {
    return spawnSync(...this.#command(["ctr", "--address", this.#socket, ...args]), { encoding: "utf8" });
  }

  #command(command: readonly string[]): [string, string[]] {
    const [program = "", ...args] = this.#inside(command);
    return [program, args];
  }

  /** A command in the namespaces of containerd. */
  #inside(command: readonly string[]): readonly string[] {
    const children = readFileSync(`/proc/${this.#daemon.pid}/task/${this.#daemon.pid}/children`, "utf8").trim();
    return ["nsenter", "--target", children || "0", "--mount", "--pid", "--", ...command];
  }
}

interface Task {
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly pid: () => number;
  readonly proc: (path: string) => string;
}

/** A container, in the hands of `ctr run`. */
export class Container implements AsyncDisposable {
  readonly #program: RunningProgram;
  readonly #task: Task;

  constructor(program: RunningProgram, task: Task) {
    this.#program = program;
    this.#task = task;
  }

  get running(): boolean {
    return this.#program.running;
  }

  get output(): string {
    return this.#program.output;
  }

  /** Waits for its exit code. */
  exit(): Promise<number | null> {
    return this.#program.exit();
  }

  /** Sends SIGTERM and waits for the exit code. */
  async stop(): Promise<number | null> {
    this.#task.signal("SIGTERM");
    return this.exit();
  }

  /** A file in /proc of its first process. */
  proc(name: string): string {
    return this.#task.proc(`${this.#task.pid()}/${name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.running && this.#task.pid() !== 0) this.#task.signal("SIGKILL");
    await this.#program.end("SIGKILL");
  }
}
