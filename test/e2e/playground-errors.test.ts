import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttp2Server } from "node:http2";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { type Playgrounds, playgrounds } from "./testing/playground.ts";

let world: Playgrounds;
const servers: Server[] = [];
let at: (name: string) => string;
let port: number;

async function listen<S extends Server>(server: S, where: string | number): Promise<S> {
  const listening = once(server, "listening");
  if (typeof where === "string") server.listen(where);
  else server.listen(where, "127.0.0.1");
  await listening;
  servers.push(server);
  return server;
}

beforeAll(async () => {
  world = playgrounds();
  at = (name) => join(world.folder, name);
  const address = (await listen(createServer(), 0)).address();
  port = typeof address === "object" && address ? address.port : 0;
  writeFileSync(at("file"), "");
  mkdirSync(at("folder"));
  await listen(
    createServer((socket) => socket.on("error", () => {})),
    at("silent.sock"),
  );
  const mute = createHttp2Server();
  mute.on("session", (session) => session.on("error", () => {}));
  await listen(mute, at("mute.sock"));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await world[Symbol.asyncDispose]();
});

/** Given flags, then the exit code and the sentence; `%` stands for the temporary folder. */
const table: readonly (readonly [flags: string, code: number, sentence: string])[] = [
  ["--nope", 2, "Unknown option '--nope'; see npm start -- --help"],
  ["--nodes none", 2, '--nodes takes a whole number from 1 to 100, not "none"; see npm start -- --help'],
  ["--port PORT", 1, "--port: 127.0.0.1:PORT is in use; choose another port, or omit --port for a free one"],
  ["--real --port PORT", 1, "--port: 127.0.0.1:PORT is in use; choose another port, or omit --port for a free one"],
  ["--state %/file", 1, "--state: cannot write to %/file (EEXIST); use a folder you can write to"],
  ["--state %/file/below", 1, "--state: cannot write to %/file/below (ENOTDIR); use a folder you can write to"],
  ["--driver %/none.sock", 1, "--driver: %/none.sock does not exist; start your driver first, or pass the path of its socket"],
  ["--driver %/file", 1, "--driver: %/file is a file, not a socket"],
  ["--driver %/folder", 1, "--driver: %/folder is a folder, not a socket"],
  ["--driver localhost:9000", 1, '--driver takes the path of a Unix socket, not "localhost:9000"'],
  ["--driver %/silent.sock", 1, "--driver: %/silent.sock did not answer GetPluginInfo within 4 s"],
  ["--driver %/mute.sock --demo", 1, "--driver: %/mute.sock did not answer GetPluginInfo within 4 s"],
];

describe("the playground refuses, in one sentence, and leaves nothing behind:", () => {
  test.each(table)("%s", async (flags, code, sentence) => {
    const filled = (text: string) => text.replaceAll("%", world.folder).replaceAll("PORT", String(port));
    expect(await world.run(filled(flags).split(" "))).toEqual([code, `playground: ${filled(sentence)}\n`]);
    expect(world.leftovers()).toEqual([]);
  });

  test("flags that npm has consumed", async () => {
    const env = { npm_lifecycle_event: "start", npm_config_demo: "true", npm_config_nodes: "true" };
    const sentence = 'npm has consumed --demo and --nodes: put "--" before the flags, as in npm start -- --demo';
    expect(await world.run(["3"], env)).toEqual([2, `playground: ${sentence}\n`]);
  });

  test("a real control plane that is not installed", async () => {
    const [code, output] = await world.run(["--real"], { KUBEBUILDER_ASSETS: at("folder") });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^playground: --real: .* not found in .*KUBEBUILDER_ASSETS.*`npm run envtest`.*\n$/),
    ]);
    expect(world.leftovers()).toEqual([]);
  });

  test("the socket of a driver that was killed", async () => {
    const path = at("left.sock");
    spawnSync(process.execPath, [
      "-e",
      `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`,
    ]);
    expect(await world.run(["--driver", path])).toEqual([1, `playground: --driver: nothing listens on ${path}; is your driver running?\n`]);
  });
});
