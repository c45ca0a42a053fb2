import { describe, expect, test } from "bun:test";
import { spellingsOf } from "./spellings.ts";
import { allInOne } from "./testing/components.ts";
import { tokenise } from "./tokenise.ts";

const spellings = spellingsOf(allInOne);
const flags = (argv: readonly string[]) => tokenise(argv, spellings).occurrences.map(({ spelling, value }) => `${spelling}=${value}`);

describe("a command line is taken apart", () => {
  test.each([
    [["--timeout=30s"], ["timeout=30s"]],
    [["--timeout", "30s"], ["timeout=30s"]],
    [["-timeout=30s"], ["timeout=30s"]],
    [["-timeout", "30s"], ["timeout=30s"]],
    [["-v=5"], ["v=5"]],
    [["-v", "5"], ["v=5"]],
    [["--v=5"], ["v=5"]],
    [["-v5"], ["v=5"]],
    [
      ["-v12", "-leader-election"],
      ["v=12", "leader-election=true"],
    ],
    [["--leader-election"], ["leader-election=true"]],
    [["--leader-election=false"], ["leader-election=false"]],
    [
      ["--extra-create-metadata", "--v=2"],
      ["extra-create-metadata=true", "v=2"],
    ],
    [["--automaxprocs"], ["automaxprocs=true"]],
    [["--kubeconfig="], ["kubeconfig="]],
    [["--kubeconfig", ""], ["kubeconfig="]],
    [["--leader-election-labels=a:b=c"], ["leader-election-labels=a:b=c"]],
    [["--capacity-ownerref-level", "-1"], ["capacity-ownerref-level=-1"]],
    [["--controllers", "-attacher"], ["controllers=-attacher"]],
    [
      ["--v=1", "--v=2"],
      ["v=1", "v=2"],
    ],
    [["--v=1", "--"], ["v=1"]],
    [[], []],
  ])("%j", (argv, expected) => {
    expect(flags(argv)).toEqual(expected);
  });

  test.each([
    [
      ["--leader-election", "true"],
      'unexpected argument "true" after --leader-election: a boolean takes its value after an equals sign, as in --leader-election=true',
    ],
    [["--v=2", "serve"], 'unexpected argument "serve"'],
    [["serve"], 'unexpected argument "serve"'],
    [["-"], 'unexpected argument "-"'],
    [[""], 'unexpected argument ""'],
    [["--", "x"], 'unexpected argument "x"'],
    [["---v=1"], "bad flag syntax: ---v=1"],
    [["--=1"], "bad flag syntax: --=1"],
    [["--timeout"], "flag needs an argument: --timeout"],
    [["--nonsense-of-mine"], "unknown flag: --nonsense-of-mine"],
    [["--atacher-timeout=3s"], "unknown flag: --atacher-timeout (did you mean --attacher-timeout?)"],
    [["-leader-elction"], "unknown flag: --leader-elction (did you mean --leader-election?)"],
    [["--v5"], "unknown flag: --v5 (did you mean --v?)"],
    [["-t5"], "unknown flag: --t5"],
  ])("%j is refused", (argv, message) => {
    expect(() => flags(argv)).toThrow(new Error(message));
  });

  test.each(["-h", "--h", "-help", "--help"])("%s asks for help", (word) => {
    expect(tokenise(["--v=2", word], spellings)).toEqual({ help: true, occurrences: [{ spelling: "v", value: "2" }] });
  });
});
