import { expect, test } from "bun:test";
import { readCommandLine } from "./read-command-line.ts";
import { allInOne, attacher, individual } from "./testing/components.ts";

const commands = { check: "Look around." };
const whole = { ...allInOne, commands };
const single = { ...individual(attacher, "csi-attacher"), commands };

test.each([
  ["a command misspelt", whole, "chekc", " (did you mean the command check?)"],
  ["a controller", whole, "attacher", " (did you mean --controllers=attacher?)"],
  ["a controller by another name", whole, "external-attacher", " (did you mean --controllers=attacher?)"],
  ["a controller where none can be chosen", single, "attacher", ""],
  ["anything else", whole, "serve", ""],
  ["nothing", whole, "", ""],
])("a first word that is no command is refused: %s", (_, program, word, hint) => {
  const misuse = `unexpected argument ${JSON.stringify(word)}${hint}`;
  expect(readCommandLine(program, [word, "--v=2"])).toEqual({ asks: "nothing", misuse });
});
