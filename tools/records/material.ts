/** Something of others that is in what we publish. */
export interface Material {
  readonly name: string;
  readonly version: string;
  /** As SPDX has it; `undefined` where the license is a text beside it. */
  readonly license: string | undefined;
  /** A package URL. */
  readonly purl: string;
  readonly checksum: { readonly algorithm: "SHA256" | "SHA512"; readonly hex: string };
}
