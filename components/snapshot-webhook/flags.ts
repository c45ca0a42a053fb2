import { bool, type FlagQuestions, type FlagTable, type FlagValues, int, klogFlags, text } from "@csi-sidecars/host";

const port = (value: number) => (value >= 0 && value <= 65_535 ? undefined : "must be between 0 and 65535");

const serverFlags = {
  "tls-cert-file": text("", "File with the certificate for HTTPS, in PEM, followed by those that signed it. Required."),
  "tls-private-key-file": text("", "File with the private key of the certificate. Required."),
  port: int(443, "Port of the HTTPS server.", { check: port }),
} satisfies FlagTable;

const classFlags = {
  "prevent-volume-mode-conversion": bool(true, "Accepted for compatibility; has no effect."),
  "enable-volume-group-snapshot-webhook": bool(false, "Also answer reviews of VolumeGroupSnapshotClasses, at /volumegroupsnapshot."),
} satisfies FlagTable;

/** Of snapshot-conversion-webhook, as upstream has them. */
export const conversionFlags = serverFlags;

/** Of snapshot-validation-webhook, as upstream had them, with those of klog that have no effect here. */
export const validationFlags = {
  ...serverFlags,
  ...classFlags,
  ...klogFlags,
} satisfies FlagTable;

/** Of both in one. */
export const webhookFlags = {
  ...serverFlags,
  "bind-address": text("", "Address of the HTTPS server; every address of the machine if empty."),
  ...classFlags,
} satisfies FlagTable;

type ServerValues = FlagValues<typeof serverFlags>;

/** Upstream's words for flags that are missing. */
export function missingFiles({ tlsCertFile, tlsPrivateKeyFile }: ServerValues): readonly string[] {
  if (tlsCertFile === "") return ["--tls-cert-file must be specified"];
  return tlsPrivateKeyFile === "" ? ["--tls-private-key-file must be specified"] : [];
}

/** The same in the words of snapshot-validation-webhook, whose flags need only be given. */
export function missingFlags(_values: ServerValues, { explicit }: Pick<FlagQuestions, "explicit">): readonly string[] {
  const missing = ["tls-cert-file", "tls-private-key-file"].filter((name) => !explicit(name)).map((name) => `"${name}"`);
  return missing.length > 0 ? [`required flag(s) ${missing.join(", ")} not set`] : [];
}
