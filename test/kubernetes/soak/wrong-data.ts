/** A volume does not hold what was written to it: waiting does not make that better. */
export class WrongData extends Error {}
