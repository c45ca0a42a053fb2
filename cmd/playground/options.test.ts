import { describe, expect, test } from "bun:test";
import { readOptions } from "./options.ts";
import { UserError } from "./user-error.ts";

describe("the command line", () => {
  const nothing = { controllerOnly: false, demo: false, help: false, lines: false, real: false, port: 0 };

  test("without flags takes a free port, and leaves the rest open", () => {
    expect(readOptions([])).toEqual(nothing);
  });

  test("flags take their value after an equals sign or as the next word", () => {
    expect(readOptions(["--nodes=5", "--port", "6443", "--state", "kept", "--topology", "zones=3", "--real"])).toEqual({
      ...nothing,
      nodes: 5,
      zones: 3,
      port: 6443,
      state: "kept",
      real: true,
    });
    expect(readOptions(["--driver=/csi.sock", "--demo"])).toEqual({ ...nothing, demo: true, driver: "/csi.sock" });
    expect(readOptions(["--driver=/csi.sock", "--controller-only"])).toMatchObject({ controllerOnly: true });
  });

  test.each([
    [["--nope"], "Unknown option '--nope'; see npm start -- --help"],
    [["more"], "Unexpected argument 'more'; see npm start -- --help"],
    [["--nodes", "0"], '--nodes takes a whole number from 1 to 100, not "0"; see npm start -- --help'],
    [["--nodes", "1e1"], '--nodes takes a whole number from 1 to 100, not "1e1"; see npm start -- --help'],
    [["--port", "65536"], '--port takes a whole number from 0 to 65535, not "65536"; see npm start -- --help'],
    [["--state="], "--state needs the path of a folder; see npm start -- --help"],
    [["--driver="], "--driver needs the path of a socket; see npm start -- --help"],
    [["--controller-only"], "--controller-only is for your own driver: add --driver, or omit it; see npm start -- --help"],
    [["--topology", "racks=3"], '--topology takes zones=N, not "racks=3"; see npm start -- --help'],
    [["--topology", "zones=many"], '--topology zones takes a whole number from 1 to 100, not "many"; see npm start -- --help'],
    [["--nodes=2", "--topology=zones=3"], "--topology: 3 zones need at least as many nodes, not 2; see npm start -- --help"],
    [
      ["--driver=/csi.sock", "--topology=zones=3"],
      "--topology is for the hostpath driver: your own driver reports the topology of its node; see npm start -- --help",
    ],
    [["--demo", "--state", "kept"], "--demo starts from an empty cluster: omit --state; see npm start -- --help"],
  ])("%p is refused in one sentence, with exit code 2", (argv, sentence) => {
    const refused = (() => {
      try {
        return readOptions(argv);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(UserError);
    expect(refused).toMatchObject({ message: sentence, exitCode: 2 });
  });
});
