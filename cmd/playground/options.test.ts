import { describe, expect, test } from "bun:test";
import { Refusal, readOptions } from "./options.ts";

describe("what is typed", () => {
  test("nothing gives a cluster of two nodes on a free port that is forgotten", () => {
    expect(readOptions([])).toEqual({ demo: false, help: false, nodes: 2, port: 0 });
  });

  test("flags take their value after an equals sign or as the next word", () => {
    expect(readOptions(["--nodes=5", "--port", "6443", "--state", "kept"])).toEqual({
      demo: false,
      help: false,
      nodes: 5,
      port: 6443,
      state: "kept",
    });
  });

  test.each([
    [["--nope"], "Unknown option '--nope'; see npm start -- --help"],
    [["more"], "Unexpected argument 'more'; see npm start -- --help"],
    [["--nodes", "0"], '--nodes takes a whole number from 1 to 100, not "0"; see npm start -- --help'],
    [["--nodes", "1e1"], '--nodes takes a whole number from 1 to 100, not "1e1"; see npm start -- --help'],
    [["--port", "65536"], '--port takes a whole number from 0 to 65535, not "65536"; see npm start -- --help'],
    [["--state="], "--state needs the name of a folder; see npm start -- --help"],
    [["--demo", "--state", "kept"], "--demo starts from an empty cluster: leave --state away; see npm start -- --help"],
  ])("%p is refused in one sentence, as a misuse", (argv, sentence) => {
    const refused = (() => {
      try {
        return readOptions(argv);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused).toMatchObject({ message: sentence, exitCode: 2 });
  });
});
