/** A state file that cannot be understood. The driver does not start with it, for what it would forget is somebody's data. */
export class StateDamage extends Error {
  override readonly name = "StateDamage";

  constructor(file: string, what: string) {
    super(
      `${file}: ${what}. Nothing was changed. Restore the file from a copy, or move the whole state directory away to start with none: ` +
        "the data of the volumes stays in their directories there.",
    );
  }
}
