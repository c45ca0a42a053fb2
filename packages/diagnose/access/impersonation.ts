import { list, text } from "@csi-sidecars/host";

/** Flags of the commands that read the cluster as somebody else, as kubectl has them. */
export const impersonationFlags = {
  as: text(
    "",
    "User to act as; system:serviceaccount:<namespace>:<name> for a service account. You need the permission to impersonate it.",
  ),
  "as-group": list([], "Groups of that user, separated by commas; may be repeated."),
};

/** The values of {@link impersonationFlags}. */
export interface Impersonation {
  readonly as: string;
  readonly asGroup: readonly string[];
}
