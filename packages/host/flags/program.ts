import type { GateTable } from "../gates/feature-gates.ts";
import type { FlagTable, FlagValues } from "./flag.ts";
import type { ProcessFlag, ProcessValues } from "./standard-flags.ts";

/** What a component may ask about the command line when it checks its flags. */
export interface FlagQuestions {
  readonly process: ProcessValues;
  /** Of the program: upstream's own may allow what makes no sense beside other controllers. */
  readonly form: Program["form"];
  /** Whether it is the only component of this process. */
  readonly isOnlyComponent: boolean;
  /** The component's flag as it was given, else as this program spells it, without dashes: for messages. */
  flagName(name: string): string;
  /** Whether the flag was given, under whichever spelling. */
  explicit(name: string): boolean;
}

/** The part of a component that the command line is made of. */
export interface FlagOwner<Table extends FlagTable = FlagTable> {
  /** In `--controllers`, and the prefix of its flags in the all-in-one. */
  readonly name: string;
  /** Other names that `--controllers` takes for it. */
  readonly aliases?: readonly string[];
  /** Whether `--controllers=*` runs it. */
  readonly onByDefault?: boolean;
  readonly flags: Table;
  /** The features that `--feature-gates` enables or disables. */
  readonly gates?: GateTable;
  /** The process-wide flags that its individual program has; a flag of its own with the same name takes the place of one. */
  readonly processFlags: readonly ProcessFlag[];
  /** What is wrong with the values taken together, one message each. Asked only when the component is enabled. */
  validate?(values: FlagValues<Table>, questions: FlagQuestions): readonly string[];
  /** What the user should know about values that work, and may not do what is expected. Asked only when the component is enabled. */
  warn?(values: FlagValues<Table>, questions: FlagQuestions): readonly string[];
}

/** A program of this repository that is not selectable in the all-in-one, but that users may look for there. */
export interface SeparateProgram {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Where it runs: `one for each cluster`. */
  readonly where?: string;
}

/** An individual program beside the one that was called. */
export interface OtherProgram {
  readonly program: string;
  readonly owner: FlagOwner;
}

/** What else a program does when its first argument is one of these words, in a line each. */
export type Commands = Readonly<Record<string, string>>;

/** What a command line is read for: the all-in-one with prefixed flags, or one component as upstream ships it. */
export type Program =
  | {
      readonly form: "all-in-one";
      readonly name: string;
      /** What it is and how it is called, for `--help`. */
      readonly about?: string;
      readonly components: readonly FlagOwner[];
      readonly separate?: readonly SeparateProgram[];
      readonly commands?: Commands;
    }
  | {
      readonly form: "individual";
      readonly name: string;
      readonly about?: string;
      readonly component: FlagOwner;
      /** Programs whose flags users may take for its own. */
      readonly others?: readonly OtherProgram[];
      readonly commands?: Commands;
    };

/** The components a program can run. */
export function componentsOf(program: Program): readonly FlagOwner[] {
  return program.form === "all-in-one" ? program.components : [program.component];
}
