const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const longestBase = 63 - suffixLength;

/** `generateName` with five random letters, of an alphabet that spells no words. */
export function generateName(base: string, random: () => number): string {
  let suffix = "";
  for (let i = 0; i < suffixLength; i++) suffix += alphabet[Math.floor(random() * alphabet.length)];
  return base.slice(0, longestBase) + suffix;
}
