/** A header block, or the frames that carry it, that no correct client sends. The connection cannot be understood from there on. */
export class MalformedHeaders extends Error {
  override readonly name = "MalformedHeaders";
}
